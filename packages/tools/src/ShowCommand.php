<?php

declare(strict_types=1);

namespace RedisLock\Tools;

final class ShowCommand implements Command
{
    public function help(): string
    {
        return <<<'TEXT'
            usage: redislock show KEY [OPTION...]

            Shows who holds the lock, since when and for how long, and who waits for it. Exits with
            0 if the lock is held, and with 1 if it is free.

              --json           write a line of JSON

            TEXT;
    }

    public function flags(): array
    {
        return ['--json'];
    }

    public function options(): array
    {
        return [];
    }

    public function run(Arguments $arguments): int
    {
        $key = $arguments->keyAnywhere();
        $state = Servers::connect($arguments)->inspect($key);
        if ($state === null) {
            Servers::warnOfTwoPrefixes($arguments, $key);
        }
        if ($arguments->has('--json')) {
            $fields = $state === null ? ['key' => $key] : (new Lock($key, $state))->fields();
            echo Json::line($fields + ['isLocked' => $state !== null]);
        } else {
            echo $state === null ? Text::clean($key) . " is free\n"
                : self::lines(new Lock($key, $state));
        }
        return $state === null ? 1 : 0;
    }

    private static function lines(Lock $lock): string
    {
        $state = $lock->state;
        $since = $state->since === null ? 'unknown'
            : date('Y-m-d H:i:s T', $state->since) . ", {$lock->age()} ago, the wait included";
        $waiting = $state->waiting === [] ? '' : ': ' . implode(', ', $lock->waiting());
        return Text::clean($lock->key) . "\n"
            . '  holder   ' . Text::clean($lock->holder()) . "\n"
            . "  since    $since\n"
            . "  held     {$lock->left()}\n"
            . '  waiters  ' . Text::clean("$state->waiters$waiting") . "\n";
    }
}
