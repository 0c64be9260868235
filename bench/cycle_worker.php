<?php
/*
 * For bench/cycle.php: reads "ROUNDS\n", does as many cycles, answers with the nanoseconds. A way
 * has a loop of its own, so that a cycle is its calls alone.
 *
 * usage: php cycle_worker.php acquire DSN [WAIT]
 *        php cycle_worker.php lease|synchronized DSN
 *        php cycle_worker.php by-hand SOCKET         phpredis: SET NX PX, EVALSHA; well written
 */
require __DIR__ . '/lib/by_hand.php';

const KEY = 'bench:cycle';

[, $way, $address] = $argv;
$wait = (float) ($argv[3] ?? 0);
if ($way === 'by-hand') {
    [$redis, $sha] = by_hand($address);
} else {
    $lock = new RedisLock($address);
}
$nothing = static function (): void {
};
$cycles = match ($way) {
    'acquire' => static function (int $rounds) use ($lock, $wait): void {
        for ($i = 0; $i < $rounds; $i++) {
            $token = $lock->acquire(KEY, 30.0, $wait);
            $lock->release(KEY, $token);
        }
    },
    'lease' => static function (int $rounds) use ($lock): void {
        for ($i = 0; $i < $rounds; $i++) {
            $lease = $lock->lease(KEY);
            $lease->release();
        }
    },
    'synchronized' => static function (int $rounds) use ($lock, $nothing): void {
        for ($i = 0; $i < $rounds; $i++) {
            $lock->synchronized(KEY, $nothing);
        }
    },
    'by-hand' => static function (int $rounds) use ($redis, $sha): void {
        for ($i = 0; $i < $rounds; $i++) {
            $token = bin2hex(random_bytes(16));
            $redis->set(KEY, $token, ['nx', 'px' => 30_000]);
            $redis->evalSha($sha, [KEY, $token], 1);
        }
    },
};
while (($line = fgets(STDIN)) !== false) {
    $start = hrtime(true);
    $cycles((int) $line);
    echo hrtime(true) - $start, "\n";
}
