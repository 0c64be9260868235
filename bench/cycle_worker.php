<?php
/* For bench/cycle.php: reads "ROUNDS\n", does as many cycles of acquire and release, answers with the
 * nanoseconds. */
$lock = new RedisLock($argv[1]);
while (($line = fgets(STDIN)) !== false) {
    $rounds = (int) $line;
    $start = hrtime(true);
    for ($i = 0; $i < $rounds; $i++) {
        $token = $lock->acquire('bench:cycle');
        $lock->release('bench:cycle', $token);
    }
    echo hrtime(true) - $start, "\n";
}
