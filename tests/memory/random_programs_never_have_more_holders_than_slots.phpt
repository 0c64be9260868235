--TEST--
In random programs on memory:// a lock has as many holders as slots and no more, waiters come before newcomers, and no key is left.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';
require __DIR__ . '/../inc/child.inc';

const STEPS = 40;

final class Late extends Exception
{
}

/**
 * A program, known by its number, and what has to come of each of its calls: each slot has a holder
 * until it is freed, or until its TTL is over by the clock that advance() moves. TTLs end half a
 * second beside the seconds of the clock, so it does not matter how fast the program runs.
 */
final class Slots
{
    /** @var array<string, int> */
    public static array $met = [];
    private Random\Randomizer $dice;
    private RedisLock $lock;
    private string $key;
    private int $count;
    private int $now = 0;
    /** @var array<int, array{?RedisLockLease, string, float}> the holder of each taken slot: its
     * lease or null, its token, and when it ends */
    private array $holders = [];
    /** @var list<RedisLockLease> leases that have ended */
    private array $ended = [];
    private bool $is_good = true;
    private ?Closure $onSignal = null;
    private float $since;

    public function __construct(private int $number)
    {
        $this->since = hrtime(true) / 1e9;
        pcntl_signal(SIGUSR1, fn () => ($this->onSignal ?? fn () => null)());
        $this->dice = new Random\Randomizer(new Random\Engine\Mt19937($number));
        $this->lock = new RedisLock('memory://slots');
        $this->key = "k$number";
        $this->count = $this->any(2, 5);
    }

    public function run(): bool
    {
        $calls = ['take', 'take', 'take', 'free', 'free', 'extend', 'plain', 'force', 'pass',
            'wait', 'look', 'freeEnded'];
        for ($i = 0; $i < STEPS && $this->is_good; $i++) {
            $call = $calls[$this->any(0, count($calls) - 1)];
            $this->$call();
        }
        foreach (array_keys($this->holders) as $slot) {
            $this->freeSlot($slot);
        }
        $this->look();
        $state = $this->lock->inspect($this->key);
        return $this->agrees('what is left of the lock', null, $state) && $this->is_good;
    }

    private function any(int $least, int $most): int
    {
        return $this->dice->getInt($least, $most);
    }

    /** What was seen after so long says nothing: a TTL may have ended by itself. */
    private function agrees(string $what, mixed $expected, mixed $seen): bool
    {
        if (hrtime(true) / 1e9 - $this->since > 0.4) {
            throw new Late;
        }
        return $this->is_good = same("program $this->number, $what", $expected, $seen)
            && $this->is_good;
    }

    private function met(string $what): void
    {
        self::$met[$what] = (self::$met[$what] ?? 0) + 1;
    }

    private function name(int $slot): string
    {
        return $slot === 1 ? $this->key : "$this->key#$slot";
    }

    private function firstFree(): ?int
    {
        for ($slot = 1; $slot <= $this->count; $slot++) {
            if (!isset($this->holders[$slot])) {
                return $slot;
            }
        }
        return null;
    }

    private function someSlot(bool $is_leased = false): ?int
    {
        $taken = array_keys(array_filter($this->holders,
            fn (array $holder) => !$is_leased || $holder[0] !== null));
        return $taken === [] ? null : $taken[$this->any(0, count($taken) - 1)];
    }

    /** A TTL, and when the lock of this TTL ends. */
    private function ttl(): float
    {
        return $this->any(0, 9) + 0.5;
    }

    private function keep(RedisLockLease $lease, float $ttl): void
    {
        $this->holders[$lease->slot()] = [$lease, $lease->token(), $this->now + $ttl];
    }

    private function lease(float $ttl, float $wait = 0.0): ?RedisLockLease
    {
        return $this->lock->lease($this->key, $ttl, $wait, false, slots: $this->count);
    }

    /* ---- the calls ---- */

    private function take(): void
    {
        $expected = $this->firstFree();
        $ttl = $this->ttl();
        $lease = $this->lease($ttl);
        $this->met($expected === null ? 'refused' : 'taken');
        if ($this->agrees('slot', $expected, $lease?->slot()) && $lease !== null) {
            $this->keep($lease, $ttl);
        }
    }

    /** A call that knows of no slots takes the key of one slot. */
    private function plain(): void
    {
        $slot = $this->any(1, $this->count);
        $is_free = !isset($this->holders[$slot]);
        $ttl = $this->ttl();
        $token = $this->lock->acquire($this->name($slot), $ttl);
        if ($this->agrees("a plain lock of slot $slot", $is_free, $token !== null) && $is_free) {
            $this->met('plain');
            $this->holders[$slot] = [null, $token, $this->now + $ttl];
        }
    }

    private function freeSlot(int $slot): void
    {
        [$lease, $token] = $this->holders[$slot];
        $is_freed = $lease !== null ? $lease->release()
            : $this->lock->release($this->name($slot), $token);
        unset($this->holders[$slot]);
        $this->agrees("release() of slot $slot", true, $is_freed);
    }

    private function free(): void
    {
        $slot = $this->someSlot();
        if ($slot !== null) {
            $this->freeSlot($slot);
        }
    }

    /** A lease that has ended frees no other holder. */
    private function freeEnded(): void
    {
        $lease = array_pop($this->ended);
        if ($lease !== null) {
            $this->met('ended');
            $this->agrees('release() of a lease that has ended', false, $lease->release());
        }
    }

    private function extend(): void
    {
        $slot = $this->someSlot();
        if ($slot !== null) {
            $ttl = $this->ttl();
            [$lease, $token] = $this->holders[$slot];
            $is_extended = $lease !== null ? $lease->extend($ttl)
                : $this->lock->extend($this->name($slot), $token, $ttl);
            $this->agrees("extend() of slot $slot", true, $is_extended);
            $this->holders[$slot][2] = $this->now + $ttl;
        }
    }

    private function force(): void
    {
        $slot = $this->any(1, $this->count);
        $is_taken = isset($this->holders[$slot]);
        $this->forget($slot);
        $this->agrees("forceRelease() of slot $slot", $is_taken,
            $this->lock->forceRelease($this->name($slot)));
    }

    private function forget(int $slot): void
    {
        $lease = $this->holders[$slot][0] ?? null;
        if ($lease !== null) {
            $this->ended[] = $lease;
        }
        unset($this->holders[$slot]);
    }

    /** Time passes. */
    private function pass(): void
    {
        $seconds = $this->any(1, 4);
        RedisLock::advance($seconds);
        $this->now += $seconds;
        foreach ($this->holders as $slot => [, , $end]) {
            if ($end < $this->now) {
                $this->forget($slot);
            }
        }
    }

    /** Where all slots are taken, a release of a slot during the wait is for the waiter: a newcomer
     * gets nothing, nor does a waiter that came later. */
    private function wait(): void
    {
        $expected = $this->firstFree();
        $is_later = $this->any(0, 1) === 1;
        $ttl = $this->ttl();
        if ($expected === null && $this->someSlot(true) === null) {
            return; /* the release of a plain lock wakes no waiter for slots */
        }
        if ($expected === null) {
            $queued = 0;
            $this->onSignal = function () use (&$queued, &$expected, $is_later): void {
                /* At first the waiter may be known without a place in the queue yet. */
                $queued += (int) ($this->lock->inspect($this->key)?->waiters === 1);
                if ($queued < 3) {
                    return;
                }
                $this->onSignal = null;
                $expected = $this->someSlot(true);
                $this->freeSlot($expected);
                $this->agrees($is_later ? 'a later waiter' : 'a newcomer', null,
                    $this->lease(5.5, $is_later ? 0.002 : 0.0)?->slot());
            };
            $this->met($is_later ? 'before a later waiter' : 'before a newcomer');
        }
        $lease = $this->lease($ttl, 60);
        if ($this->agrees('the slot of a waiter', $expected, $lease?->slot()) && $lease !== null) {
            $this->keep($lease, $ttl);
        }
    }

    /** Each slot has its holder, and no other. */
    private function look(): void
    {
        for ($slot = 1; $slot <= $this->count; $slot++) {
            $this->agrees("owner of slot $slot", $this->holders[$slot][1] ?? null,
                $this->lock->owner($this->name($slot)));
            $lease = $this->holders[$slot][0] ?? null;
            if ($lease !== null) {
                $this->agrees("isHeld() of slot $slot", true, $lease->isHeld());
            }
        }
    }
}

pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn () => null);
$sender = signal_later(SIGUSR1, 0.01, 100000, 0.002);
$programs = rounds(100, 1000);
$first = (int) (getenv('REDISLOCK_PROGRAMS_FROM') ?: random_int(1, 2 ** 30));
$judged = 0;
for ($n = $first; $n < $first + $programs && time_left() > 10; $n++) {
    try {
        $is_good = (new Slots($n))->run();
    } catch (Late) {
        continue;
    }
    $judged++;
    if (!$is_good) {
        echo "program $n (REDISLOCK_PROGRAMS_FROM)\n";
        break;
    }
}
pcntl_signal(SIGUSR1, SIG_IGN);
check('there were many', $judged >= $programs / 10, $judged);
foreach (['taken', 'refused', 'plain', 'ended', 'before a newcomer',
        'before a later waiter'] as $what) {
    check("it occurs: $what", isset(Slots::$met[$what]), Slots::$met);
}

done();
?>
--EXPECT--
ok
