--TEST--
A wait that does not get the lock returns null at its deadline, never before it.
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
$lock = new RedisLock($server->dsn());
$token = $lock->acquire('k', 60);
foreach ([0.0001, 0.001, 0.0101, 0.05, 0.25, 1, 0.033, 0.0125] as $wait) {
    $took = elapsed(fn () => $lock->acquire('k', wait: $wait), $result);
    same("acquire() with wait $wait", null, $result);
    check("wait $wait not shorter", $took >= $wait, $took);
    check("wait $wait not much longer", $took < $wait + slack(2.0), $took);
}
same('value', $token, $server->cmd('GET', 'k'));
same('keys', ['0:k'], $server->keys());

done();
?>
--EXPECT--
ok
