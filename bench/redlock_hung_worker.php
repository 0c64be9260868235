<?php
/*
 * For bench/redlock.php: a RedisLock object whose servers hang. Reads "TTL\n", asks for a lock,
 * answers with the nanoseconds and what came of it: "granted", "refused", or the class of the
 * exception and how many servers it names.
 *
 * usage: php redlock_hung_worker.php TIMEOUT PORT...
 */
$servers = array_map(fn (string $port) => "redis://127.0.0.1:$port", array_slice($argv, 2));
$lock = new RedisLock($servers, timeout: (float) $argv[1]);
for ($number = 0; ($line = fgets(STDIN)) !== false; $number++) {
    $key = 'bench:' . getmypid() . ":$number";
    $start = hrtime(true);
    try {
        $token = $lock->acquire($key, (float) $line);
        $took = hrtime(true) - $start;
        // before the answer, for the servers may hang right behind it
        $token === null || $lock->release($key, $token);
        echo $took, ' ', $token === null ? 'refused' : 'granted', "\n";
    } catch (RedisLockException $e) {
        echo hrtime(true) - $start, ' ', $e::class, ' ', count($e->getReasons()), "\n";
    }
}
