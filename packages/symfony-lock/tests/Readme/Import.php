<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Readme;

use Closure;

/** The message of the README's handler. */
final class Import
{
    /** @param Closure(): mixed $work */
    public function __construct(public readonly string $source, private readonly Closure $work)
    {
    }

    public function run(): void
    {
        ($this->work)();
    }
}
