<?php
/*
 * For bench/lease.php: reads "WHAT ROUNDS\n", does it as often, answers with the nanoseconds.
 *
 * usage: php lease_worker.php DSN
 */
final class Plain
{
    public function nothing(): void
    {
    }
}

/** Only when it is asked for, so that the cycles have a process without another lease. */
function kept_lease(RedisLock $lock): RedisLockLease
{
    static $lease;
    return $lease ??= $lock->lease('bench:kept:' . getmypid(), 3600.0);
}

$lock = new RedisLock($argv[1]);
$section = static fn (RedisLockLease $lease) => null;
$plain = new Plain();
$array = new SplFixedArray();

$loops = [
    'acquire' => function (int $rounds) use ($lock): void {
        for ($i = 0; $i < $rounds; $i++) {
            $token = $lock->acquire('bench:lease', 30.0);
            $lock->release('bench:lease', $token);
        }
    },
    'lease' => function (int $rounds) use ($lock): void {
        for ($i = 0; $i < $rounds; $i++) {
            $lease = $lock->lease('bench:lease', 30.0);
            $lease->release();
        }
    },
    'unset' => function (int $rounds) use ($lock): void {
        for ($i = 0; $i < $rounds; $i++) {
            $lease = $lock->lease('bench:lease', 30.0);
            unset($lease);
        }
    },
    'synchronized' => function (int $rounds) use ($lock, $section): void {
        for ($i = 0; $i < $rounds; $i++) {
            $lock->synchronized('bench:lease', $section, 30.0);
        }
    },
    'loop' => function (int $rounds): void {
        for ($i = 0; $i < $rounds; $i++) {
        }
    },
    'userland' => function (int $rounds) use ($plain): void {
        for ($i = 0; $i < $rounds; $i++) {
            $plain->nothing();
        }
    },
    'internal' => function (int $rounds) use ($array): void {
        for ($i = 0; $i < $rounds; $i++) {
            $array->getSize();
        }
    },
    'isHeld' => function (int $rounds) use ($lock): void {
        $lease = kept_lease($lock);
        for ($i = 0; $i < $rounds; $i++) {
            $lease->isHeld();
        }
    },
    'remaining' => function (int $rounds) use ($lock): void {
        $lease = kept_lease($lock);
        for ($i = 0; $i < $rounds; $i++) {
            $lease->remaining();
        }
    },
];

while (($line = fgets(STDIN)) !== false) {
    [$what, $rounds] = explode(' ', $line);
    $start = hrtime(true);
    $loops[$what]((int) $rounds);
    echo hrtime(true) - $start, "\n";
}
