<?php

declare(strict_types=1);

namespace RedisLock\Tools;

use RedisLockState;

/** A lock that is not free: its key as it is shown, and its state. */
final class Lock
{
    public function __construct(public readonly string $key, public readonly RedisLockState $state)
    {
    }

    public function holder(): string
    {
        return match (true) {
            $this->state->isReserved => '(reserved for a waiter)',
            $this->state->isDone => '(done)',
            $this->state->label !== null => $this->state->label,
            default => $this->state->isForeign ? '(another client)' : '(no label)',
        };
    }

    public function remaining(): string
    {
        return $this->state->remaining === INF ? 'no TTL'
            : self::duration($this->state->remaining);
    }

    /** The same for a sentence. */
    public function left(): string
    {
        return $this->state->remaining === INF ? 'without an end'
            : "for {$this->remaining()} more";
    }

    /** How long it has been held, by the clocks of both machines; null = unknown. */
    public function age(): ?string
    {
        return $this->state->since === null ? null
            : self::duration(max(0, time() - $this->state->since));
    }

    private static function duration(float $seconds): string
    {
        $whole = (int) round($seconds);
        return match (true) {
            $seconds < 60.0 => rtrim(rtrim(sprintf('%.1F', $seconds), '0'), '.') . ' s',
            $whole < 3600 => intdiv($whole, 60) . ' min ' . $whole % 60 . ' s',
            $whole < 86400 => intdiv($whole, 3600) . ' h ' . intdiv($whole % 3600, 60) . ' min',
            default => intdiv($whole, 86400) . ' d ' . intdiv($whole % 86400, 3600) . ' h',
        };
    }

    /** @return list<string> the labels of the waiters, in one order in each view */
    public function waiting(): array
    {
        $labels = $this->state->waiting;
        sort($labels, SORT_NATURAL);
        return $labels;
    }

    /** @return array<string, mixed> for JSON, which has no INF */
    public function fields(): array
    {
        $remaining = $this->state->remaining;
        return ['key' => $this->key, 'holder' => $this->state->label,
            'since' => $this->state->since, 'remaining' => $remaining === INF ? null : $remaining,
            'waiters' => $this->state->waiters, 'waiting' => $this->waiting(),
            'isForeign' => $this->state->isForeign, 'isReserved' => $this->state->isReserved,
            'isDone' => $this->state->isDone];
    }
}
