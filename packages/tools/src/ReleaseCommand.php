<?php

declare(strict_types=1);

namespace RedisLock\Tools;

use RedisLock;
use RedisLockState;

final class ReleaseCommand implements Command
{
    public function help(): string
    {
        return <<<'TEXT'
            usage: redislock release KEY [OPTION...]

            Frees the lock, whoever holds it, after a question on the terminal. A holder that still
            runs is not stopped: it notices the loss at its next renewal. Exits with 0 if the lock
            was freed, and with 1 if it was free, has changed hands meanwhile, or the answer was no.

              --yes            do not ask

            TEXT;
    }

    public function flags(): array
    {
        return ['--yes'];
    }

    public function options(): array
    {
        return [];
    }

    public function run(Arguments $arguments): int
    {
        $key = $arguments->keyAnywhere();
        $asks = !$arguments->has('--yes');
        if ($asks && !stream_isatty(STDIN)) {
            throw new Failure('there is no terminal to ask on: --yes frees the lock without asking',
                ExitCode::Usage);
        }
        $redisLock = Servers::connect($arguments);
        [$token, $state] = self::look($redisLock, $key);
        if ($state === null) {
            Program::say("the lock \"$key\" is free");
            Servers::warnOfTwoPrefixes($arguments, $key);
            return 1;
        }
        if ($asks && !self::confirms(new Lock($key, $state))) {
            return 1;
        }
        $isFreed = $token === null ? self::freeWithoutToken($redisLock, $key, $state)
            : $redisLock->release($key, $token);
        if (!$isFreed) {
            Program::say("the lock \"$key\" has changed hands or ended meanwhile");
        } elseif ($asks) {
            Program::say("the lock \"$key\" is freed");
        }
        return $isFreed ? 0 : 1;
    }

    /**
     * Asks for the token before the state that is shown, so that no later holder loses the lock. A
     * lock that is taken between both questions seems to have no token, and is asked for again.
     *
     * @return array{?string, ?RedisLockState}
     */
    private static function look(RedisLock $redisLock, string $key): array
    {
        $token = $redisLock->owner($key);
        $state = $redisLock->inspect($key);
        return $token !== null || $state === null || $state->isDone || $state->isReserved
            ? [$token, $state] : [$redisLock->owner($key), $redisLock->inspect($key)];
    }

    /**
     * There is no token in a mark of once(), in a reservation, in a lock of symfony/lock, or where
     * no majority has one. A holder that has come since the look at $shown keeps the lock.
     */
    private static function freeWithoutToken(
        RedisLock $redisLock,
        string $key,
        RedisLockState $shown,
    ): bool {
        [$token, $state] = self::look($redisLock, $key);
        return $token === null && $state !== null && self::kind($state) === self::kind($shown)
            && $redisLock->forceRelease($key);
    }

    /** @return list<bool|string|null> */
    private static function kind(RedisLockState $state): array
    {
        return [$state->isDone, $state->isReserved, $state->isForeign, $state->label];
    }

    private static function confirms(Lock $lock): bool
    {
        $question = match (true) {
            $lock->state->isDone => "the work of \"$lock->key\" is done, and stays marked so"
                . " {$lock->left()}. Remove the mark?",
            $lock->state->isForeign => "this extension has not written the value of \"$lock->key\":"
                . ' it is a lock of another client, a token of your own, or other data. Delete it?',
            default => "the lock \"$lock->key\" is held {$lock->left()} by {$lock->holder()}"
                . ($lock->age() === null ? '' : ", which asked for it {$lock->age()} ago")
                . '. Free it?',
        };
        fwrite(STDERR, Text::clean("$question [y/N]") . ' ');
        return preg_match('~^y(es)?$~i', trim((string) fgets(STDIN))) === 1;
    }
}
