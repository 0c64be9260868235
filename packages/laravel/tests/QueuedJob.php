<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Closure;
use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Bus\Dispatchable;
use Illuminate\Queue\InteractsWithQueue;

/** A job that calls what its test has set as the work. */
class QueuedJob implements ShouldQueue
{
    use Dispatchable;
    use InteractsWithQueue;
    use Queueable;

    /** @var Closure(self): mixed */
    public static Closure $work;

    public int $tries = 5;
    public int $uniqueFor = 60;

    final public function __construct(public readonly string $name)
    {
    }

    public function uniqueId(): string
    {
        return $this->name;
    }

    public function handle(): void
    {
        (self::$work)($this);
    }
}
