<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/** Ends the tool with a message and an exit code. */
final class Failure extends \RuntimeException
{
    public function __construct(string $message, public readonly ExitCode $exitCode)
    {
        parent::__construct($message);
    }
}
