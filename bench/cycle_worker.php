<?php
/*
 * For bench/cycle.php: reads "ROUNDS\n", does as many cycles of acquire and release, answers with
 * the nanoseconds.
 *
 * usage: php cycle_worker.php DSN WAIT
 */
$lock = new RedisLock($argv[1]);
$wait = (float) $argv[2];
while (($line = fgets(STDIN)) !== false) {
    $rounds = (int) $line;
    $start = hrtime(true);
    for ($i = 0; $i < $rounds; $i++) {
        $token = $lock->acquire('bench:cycle', 30.0, $wait);
        $lock->release('bench:cycle', $token);
    }
    echo hrtime(true) - $start, "\n";
}
