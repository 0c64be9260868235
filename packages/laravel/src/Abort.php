<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Closure;

/**
 * The argument "abort" of one wait, which remembers whether it has ended the wait.
 *
 * @internal
 */
final class Abort
{
    private bool $isAborted = false;

    /** @param (Closure(): bool)|null $isToQuit whether the process is told to quit */
    public function __construct(private readonly ?Closure $isToQuit)
    {
    }

    public function __invoke(): bool
    {
        return $this->isAborted = $this->isToQuit !== null && ($this->isToQuit)();
    }

    /** How a wait without success has ended, for messages. */
    public function text(int|float|string $seconds): string
    {
        return $this->isAborted ? 'before this queue worker was told to quit'
            : "within $seconds s";
    }
}
