<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Contracts\Queue\ShouldBeUnique;

/** A job that is unique until it is done. */
final class UniqueQueuedJob extends QueuedJob implements ShouldBeUnique
{
}
