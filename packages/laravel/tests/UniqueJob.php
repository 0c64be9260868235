<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Queue\ShouldBeUnique;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Bus\Dispatchable;
use Illuminate\Queue\InteractsWithQueue;

/** A job that may dispatch another one while it runs. */
final class UniqueJob implements ShouldBeUnique, ShouldQueue
{
    use Dispatchable;
    use InteractsWithQueue;
    use Queueable;

    /** @var list<string> */
    public static array $runs = [];

    public int $uniqueFor = 60;

    public function __construct(private string $name, private ?string $inner = null)
    {
    }

    public static function forgetRuns(): void
    {
        self::$runs = [];
    }

    public function uniqueId(): string
    {
        return $this->name;
    }

    public function handle(): void
    {
        $before = count(self::$runs);
        if ($this->inner !== null) {
            self::dispatch($this->inner);
        }
        $isAlone = count(self::$runs) === $before;
        self::$runs[] = "$this->name: inner was " . ($isAlone ? 'not run' : 'run');
    }
}
