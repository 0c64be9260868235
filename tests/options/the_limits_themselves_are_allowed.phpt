--TEST--
The smallest and the largest value of each option are allowed.
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

$server = start_server();
foreach (['timeout' => [0.001, 3600], 'connectTimeout' => [0.001, 3600], 'jitter' => [0, 0.999],
    'driftFactor' => [0, 0.5], 'retries' => [null, 0, PHP_INT_MAX],
    'outageWait' => [null, 0, 1e-9, 1e300, INF],
    'persistent' => [true, false], 'prefix' => [null, '', 'p:']] as $name => $values) {
    foreach ($values as $value) {
        check("$name", new RedisLock($server->dsn(), ...[$name => $value]) instanceof RedisLock);
    }
}
foreach ([[0.001, 0.001], [0.001, 60], [60, 60]] as [$first, $max]) {
    check('delays', new RedisLock($server->dsn(), retryDelay: $first,
        retryMaxDelay: $max) instanceof RedisLock);
}
$lock = new RedisLock($server->dsn());
foreach ([0.005, 366 * 86400] as $i => $ttl) {
    try {
        matches('ttl', TOKEN, $token = $lock->acquire("ttl$i", $ttl));
        $lock->extend("ttl$i", $token, $ttl);
    } catch (RedisLockConnectionException $thrown) {
        matches('5 ms can be over before the answer comes', '~too slow~', $thrown->getMessage());
    }
}
matches('wait', TOKEN, $lock->acquire('wait', wait: INF));
same('token', 'x', $lock->acquire('token', token: 'x'));
matches('key "0"', TOKEN, $lock->acquire('0'));
same('release of "0"', true, $lock->release('0', $lock->owner('0')));

done();
?>
--EXPECT--
ok
