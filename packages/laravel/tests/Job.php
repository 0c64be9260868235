<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

/** What the middleware asks of a job in a queue. */
final class Job
{
    public ?int $releasedAfter = null;

    public function release(int $seconds): void
    {
        $this->releasedAfter = $seconds;
    }
}
