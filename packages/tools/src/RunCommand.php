<?php

declare(strict_types=1);

namespace RedisLock\Tools;

use RedisLock;
use RedisLockException;
use RedisLockLease;

final class RunCommand implements Command
{
    private const TTL = 30.0;
    private const LEAST_TTL = 0.005;
    private const GRACE = 10.0;

    /** Microseconds until the next look for a loss. The end of the command is noticed at once. */
    private const LOOK = 100_000;

    /** What this needs of ext/pcntl; a php.ini may have disabled them one by one. */
    private const FUNCTIONS = ['pcntl_async_signals', 'pcntl_exec', 'pcntl_fork',
        'pcntl_get_last_error', 'pcntl_signal', 'pcntl_sigprocmask', 'pcntl_strerror',
        'pcntl_waitpid', 'pcntl_wexitstatus', 'pcntl_wifsignaled', 'pcntl_wtermsig'];

    public function help(): string
    {
        return <<<'TEXT'
            usage: redislock run KEY [OPTION...] -- COMMAND [ARGUMENT...]

            Runs the command while it holds the lock, which is renewed until the command ends.
            Signals go on to the command.

              --ttl=S          seconds for which the lock outlives a killed tool, or a server that
                               cannot be reached (default 30)
              --wait=S         wait for the lock so many seconds at most, or "inf" (default 0)
              --max-hold=S     the lock ends after so many seconds, and with it the command
              --grace=S        after a loss of the lock the command gets SIGTERM, and SIGKILL so
                               many seconds later (default 10)
              --quiet          no message when another holder has the lock

            Exits with the code of the command, or with 128 + n if signal n has ended it. Else:

              64    the command line is wrong           79    the lock was lost meanwhile
              69    Redis has failed before the start   126   the command cannot be run
              75    another holder has the lock         127   there is no such command
              71    no process could be started         78    this PHP lacks an extension

            TEXT;
    }

    public function flags(): array
    {
        return ['--quiet'];
    }

    public function options(): array
    {
        return ['--ttl', '--wait', '--max-hold', '--grace'];
    }

    public function run(Arguments $arguments): int
    {
        $key = $arguments->key();
        $grace = $arguments->seconds('--grace') ?? self::GRACE;
        if ($arguments->rest === null || $arguments->rest === []) {
            throw new Failure('a "--" and the command are missing: redislock run --help',
                ExitCode::Usage);
        }
        self::needFunctions();
        $process = new Process($arguments->rest);
        $redisLock = Servers::connect($arguments);

        $process->handleSignals();
        $ttl = $arguments->seconds('--ttl') ?? self::TTL;
        $maxHold = $arguments->seconds('--max-hold');
        if ($maxHold !== null && $maxHold > 0.0) {
            $ttl = min($ttl, max($maxHold, self::LEAST_TTL));
        }
        $lease = $redisLock->lease(
            $key,
            ttl: $ttl,
            wait: $arguments->seconds('--wait') ?? 0.0,
            maxHold: $maxHold,
            abort: static fn (): bool => $process->earlySignal() !== null,
        );
        $signal = $process->earlySignal();
        if ($signal !== null) {
            return 128 + $signal; // a lease ends with its object
        }
        if ($lease === null) {
            if (!$arguments->has('--quiet')) {
                Program::say(self::taken($redisLock, $key));
            }
            return ExitCode::Taken->value;
        }
        $process->start();
        return self::watch($process, $lease, $grace);
    }

    private static function watch(Process $process, RedisLockLease $lease, float $grace): int
    {
        do {
            $code = $process->endsWithin(self::LOOK);
            if ($code === null && !$lease->isHeld()) {
                self::end($process, $lease, $grace);
                return ExitCode::Lost->value;
            }
        } while ($code === null);
        try {
            if ($lease->release()) {
                return $code;
            }
        } catch (RedisLockException $e) {
            Program::say("the command has ended, but its lock \"{$lease->key()}\" could not be freed,"
                . " and ends at its TTL: {$e->getMessage()}");
            return $code;
        }
        Program::say("the lock \"{$lease->key()}\" was lost before the command ended with exit code"
            . " $code");
        return ExitCode::Lost->value;
    }

    /** Ends the command, which runs without the lock. */
    private static function end(Process $process, RedisLockLease $lease, float $grace): void
    {
        $reason = $lease->loss()->name ?? 'unknown';
        Program::say("the lock \"{$lease->key()}\" was lost ($reason); the command gets SIGTERM,"
            . " and SIGKILL in $grace s");
        $process->signal(SIGTERM);
        $end = hrtime(true) / 1e9 + $grace;
        while ($process->endsWithin(self::LOOK) === null) {
            if (hrtime(true) / 1e9 >= $end) {
                $process->signal(SIGKILL);
            }
        }
    }

    private static function taken(RedisLock $redisLock, string $key): string
    {
        try {
            $state = $redisLock->inspect($key);
        } catch (RedisLockException) {
            $state = null; // the refusal stands without it
        }
        if ($state === null) {
            return "another holder had the lock \"$key\"";
        }
        $lock = new Lock($key, $state);
        return "the lock \"$key\" is held by {$lock->holder()} {$lock->left()}";
    }

    private static function needFunctions(): void
    {
        $missing = array_filter(self::FUNCTIONS,
            static fn (string $name): bool => !function_exists($name));
        if ($missing !== []) {
            throw new Failure('"run" needs the PHP extension pcntl; this PHP lacks '
                . implode(', ', $missing), ExitCode::Setup);
        }
    }
}
