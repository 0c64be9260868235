--TEST--
Twenty Fibers that take random steps on four keys, and are cancelled at random, never hold a key together; at the end no key is left.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';
require __DIR__ . '/../inc/loop.inc';

final class Cancelled extends Exception
{
}

/** Twenty Fibers, and one that cancels calls of the others. */
final class Walk
{
    private const KEYS = ['a', 'b', 'c', 'd'];
    private const STEPS = ['lease', 'synchronized', 'release', 'release', 'release', 'drop',
        'extend', 'verify', HAS_FENCES ? 'fence' : 'verify', 'sleep'];
    /** In seconds: a short wait has no place in the queue. */
    private const WAITS = [0, 0.02, 0.2, 1];

    /** @var array<string, int> key => the number of the Fiber that holds it */
    private array $holders = [];
    /** @var array<string, int> key => the highest fencing number, of another lease or this one */
    private array $fences = [];
    /** @var array<int, Fiber> the Fibers whose call is suspended */
    private array $suspended = [];
    /** @var list<string> what must not happen */
    public array $faults = [];

    /** @param array<string, int> $counts what has happened how often */
    public function __construct(private readonly RedisLock $lock, private int $stepsLeft,
        public array &$counts)
    {
        RedisLock::waitWith($this->wait(...));
        for ($i = 0; $i < 20; $i++) {
            Loop::spawn($this->walk(...), $i);
        }
        Loop::spawn($this->cancel(...));
        Loop::run();
    }

    private function wait(mixed $stream, bool $isWaiting): ?bool
    {
        if (!$isWaiting && mt_rand(0, 49) === 0) {
            throw new Cancelled(); // of a call that takes or frees a lock, or asks for one
        }
        $fiber = Fiber::getCurrent();
        $this->suspended[spl_object_id($fiber)] = $fiber;
        try {
            return Loop::wait($stream, $isWaiting);
        } finally {
            unset($this->suspended[spl_object_id($fiber)]);
        }
    }

    private function cancel(): void
    {
        while ($this->stepsLeft > 0) {
            Loop::sleep(mt_rand(0, 4) / 1000);
            if ($this->suspended !== []) {
                $fiber = $this->suspended[array_rand($this->suspended)];
                Loop::throw($fiber, new Cancelled());
            }
        }
    }

    private function walk(int $me): void
    {
        $leases = [];
        while ($this->stepsLeft-- > 0) {
            $step = self::STEPS[array_rand(self::STEPS)];
            try {
                if ($step === 'sleep') {
                    Loop::sleep(mt_rand(0, 3) / 1000);
                } elseif ($step === 'lease' || $step === 'synchronized') {
                    $free = array_values(array_diff(self::KEYS, array_keys($leases)));
                    if ($free !== []) {
                        $this->take($me, $step, $free[array_rand($free)], $leases);
                    }
                } elseif ($leases !== []) {
                    $this->use($step, array_rand($leases), $leases);
                }
                $this->count($step);
            } catch (Cancelled) {
                $this->count('cancelled');
            }
        }
        foreach (array_keys($leases) as $key) {
            try {
                $this->use('release', $key, $leases);
            } catch (Cancelled) {
            }
        }
    }

    /** @param array<string, RedisLockLease> $leases of this Fiber */
    private function take(int $me, string $step, string $key, array &$leases): void
    {
        $wait = self::WAITS[array_rand(self::WAITS)];
        if ($step === 'lease') {
            $lease = $this->lock->lease($key, 60, $wait);
            if ($lease === null) {
                $this->count('refused');
                return;
            }
            $this->enter($me, $key);
            $leases[$key] = $lease;
            return;
        }
        try {
            $this->lock->synchronized($key, function () use ($me, $key): void {
                $this->enter($me, $key);
                try {
                    Loop::sleep(mt_rand(0, 2) / 1000);
                } finally {
                    unset($this->holders[$key]);
                }
            }, 60, $wait);
        } catch (RedisLockTimeoutException) {
            $this->count('refused');
        }
    }

    private function enter(int $me, string $key): void
    {
        if (isset($this->holders[$key])) {
            $this->faults[] = "$me beside {$this->holders[$key]} in $key";
        }
        $this->holders[$key] = $me;
    }

    /** @param array<string, RedisLockLease> $leases of this Fiber */
    private function use(string $step, string $key, array &$leases): void
    {
        $lease = $leases[$key];
        if ($step === 'release' || $step === 'drop') {
            unset($leases[$key], $this->holders[$key]);
            if ($step === 'release' && !$lease->release()) {
                $this->faults[] = "a release of $key has freed nothing";
            }
            return;
        }
        if ($step === 'fence') {
            $fence = $lease->fence();
            if ($fence < ($this->fences[$key] ?? 0)) {
                $this->faults[] = "the number of $key was {$this->fences[$key]}, and is $fence";
            }
            $this->fences[$key] = $fence;
        } elseif (!($step === 'extend' ? $lease->extend(60) : $lease->verify())) {
            $this->faults[] = "$step says that $key is lost: " . $lease->loss()?->name;
        }
    }

    private function count(string $what): void
    {
        $this->counts[$what] = ($this->counts[$what] ?? 0) + 1;
    }
}

/* Runs that take longer set these. */
$seeds = (int) (getenv('REDISLOCK_TEST_SEEDS') ?: 10);
$steps = (int) (getenv('REDISLOCK_TEST_STEPS') ?: 400);

$server = start_server();
$lock = new RedisLock($server->dsn());
$counts = [];
/* Whether a cancelled call is a release depends on the moment, so more seeds may look for one. */
$has_met_all = fn (): bool => $seeds < 10 || RedisLock::stats()['late_releases'] > 0;
for ($seed = 1; $seed <= $seeds || (!$has_met_all() && $seed <= 4 * $seeds); $seed++) {
    mt_srand($seed);
    $walk = new Walk($lock, $steps, $counts);
    same("faults of seed $seed", [], $walk->faults);
    eventually("no key is left of seed $seed", function () use ($server): bool {
        return preg_grep('~::rl-fence$~D', $server->keys(), PREG_GREP_INVERT) === [];
    });
    $server->cmd('FLUSHALL');
    same("leases after seed $seed", 0, RedisLock::stats()['held']);
    same("waits after seed $seed", 0, RedisLock::stats()['waiting']);
}
check('a release has woken a wait', RedisLock::stats()['wake_ups'] > 0);
check('a release was cancelled', $has_met_all());
foreach (['lease', 'synchronized', 'release', 'drop', 'extend', 'verify', 'refused',
    'cancelled', ...(HAS_FENCES ? ['fence'] : [])] as $what) {
    check("$what has happened", ($counts[$what] ?? 0) > 0);
}

done();
?>
--EXPECT--
ok
