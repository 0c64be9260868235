<?php
/*
 * For bench/newcomers.php: takes the lock again and again for SECONDS, each time for 5 ms, and
 * prints how often it had it after the first second. WAIT is how long it waits for it; 0 is a
 * newcomer, who asks again at once.
 *
 * usage: php newcomer_worker.php WAIT SECONDS PORT...
 */
[, $wait, $seconds] = $argv;
$lock =
    new RedisLock(array_map(fn (string $port) => "redis://127.0.0.1:$port", array_slice($argv, 3)));
$counted = hrtime(true) + 1e9;
$end = hrtime(true) + 1e9 * (float) $seconds;
$count = 0;
while (hrtime(true) < $end) {
    $token = $lock->acquire('bench:newcomers', 10, (float) $wait);
    if ($token !== null) {
        $now = hrtime(true);
        $count += $now >= $counted && $now < $end;
        usleep(5000);
        $lock->release('bench:newcomers', $token);
    }
}
echo "$count\n";
