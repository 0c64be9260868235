<?php

declare(strict_types=1);

namespace RedisLock\Tools;

use RedisLock;

/** All locks under the prefix of an object, as the last look has found them. */
final class Survey
{
    /** @var list<Lock> those with most waiters first, then those that are held longest */
    private array $locks = [];

    /** How many keys were left out because their value is not of this extension. */
    private int $hidden = 0;

    /** False after the limit. */
    private bool $isComplete = true;

    /**
     * @param string $prefix of the object
     * @param int<1, max> $limit of keys that are looked at
     */
    public function __construct(
        private readonly RedisLock $redisLock,
        private readonly string $prefix,
        private readonly bool $strips,
        private readonly int $limit,
        private readonly bool $showsForeign,
    ) {
    }

    public function look(): void
    {
        /* One more than the limit shows that there are more. */
        $keys = $this->redisLock->findKeys('', $this->limit + 1);
        $this->isComplete = count($keys) <= $this->limit;
        $this->locks = [];
        $this->hidden = 0;
        $states = $this->redisLock->inspectAll(array_slice($keys, 0, $this->limit));
        foreach ($states as $key => $state) {
            if ($state !== null && $state->isForeign && !$this->showsForeign) {
                $this->hidden++;
            } elseif ($state !== null) {
                $this->locks[] = new Lock(($this->strips ? '' : $this->prefix) . $key, $state);
            }
        }
        usort($this->locks, static fn (Lock $a, Lock $b): int =>
            [$b->state->waiters, $a->state->since ?? PHP_INT_MAX, $a->key]
            <=> [$a->state->waiters, $b->state->since ?? PHP_INT_MAX, $b->key]);
    }

    /** @return array<string, mixed> for JSON */
    public function fields(): array
    {
        return ['isComplete' => $this->isComplete, 'hidden' => $this->hidden,
            'locks' => array_map(static fn (Lock $lock): array => $lock->fields(), $this->locks)];
    }

    /**
     * @param int|null $width the columns of the terminal; null = as many as the longest line
     * @param int $most how many locks to show
     */
    public function table(?int $width, int $most): string
    {
        /* A part of a duration would be another duration, and a key says more than labels. */
        $table = new Table(['KEY' => 2, 'HOLDER' => 1, 'HELD' => 0, 'LEFT' => 0, 'WAITERS' => 1]);
        foreach (array_slice($this->locks, 0, $most) as $lock) {
            $state = $lock->state;
            $waiting = $state->waiting === [] ? '' : ': ' . implode(' ', $lock->waiting());
            $table->add([$lock->key, $lock->holder(), $lock->age() ?? '?', $lock->remaining(),
                "$state->waiters$waiting"]);
        }
        $more = max(0, count($this->locks) - $most);
        return Text::cut($this->title(), $width) . "\n\n" . $table->text($width)
            . ($more > 0 ? Text::cut("... $more more; --once shows all", $width) . "\n" : '')
            . ($this->locks === [] && str_contains($this->prefix, '*')
                ? Text::cut('--prefix is no pattern: "*" stands for itself', $width) . "\n" : '');
    }

    private function title(): string
    {
        $waiters = array_sum(array_map(
            static fn (Lock $lock): int => $lock->state->waiters, $this->locks));
        return self::count(count($this->locks), 'lock') . ', ' . self::count($waiters, 'waiter')
            . date(', H:i:s')
            . ($this->hidden > 0 ? '; --all shows ' . self::count($this->hidden, 'other key') : '')
            . ($this->isComplete ? '' : '; more than '
                . self::count($this->limit, 'key') . ', see --limit');
    }

    private static function count(int $number, string $of): string
    {
        return "$number $of" . ($number === 1 ? '' : 's');
    }
}
