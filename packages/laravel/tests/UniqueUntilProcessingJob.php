<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Contracts\Queue\ShouldBeUniqueUntilProcessing;

/** A job that is unique until its work begins. */
final class UniqueUntilProcessingJob extends QueuedJob implements ShouldBeUniqueUntilProcessing
{
}
