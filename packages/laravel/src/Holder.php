<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use RedisLockState;

/**
 * The holder of a lock in words.
 *
 * @internal
 */
final class Holder
{
    /** "held by web-3:8812 for up to 27.3 s more", as in the extension's own messages. */
    public static function text(RedisLockState $state): string
    {
        $text = match (true) {
            $state->isReserved => 'reserved for the waiter that was woken',
            $state->isDone => 'marked as work that is done',
            default => 'held by ' . ($state->label ?? 'a client without a label'),
        };
        return $text . ($state->remaining === INF ? ', without a TTL'
            : ' for up to ' . self::seconds($state->remaining) . ' s more');
    }

    public static function seconds(float $seconds): string
    {
        $unit = $seconds >= 1 ? 10 : 1000;
        return (string) (ceil($seconds * $unit) / $unit);
    }
}
