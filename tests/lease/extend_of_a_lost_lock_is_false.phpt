--TEST--
extend() returns false when the lock is gone or belongs to another holder, and the lease is lost.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
foreach (['gone' => null, 'taken' => 'somebody'] as $key => $value) {
    $lease = $lock->lease($key, 20);
    $value === null ? $server->cmd('DEL', $key) : $server->cmd('SET', $key, $value, 'PX', 20000);
    same("$key: extend()", false, $lease->extend(60));
    same("$key: isHeld()", false, $lease->isHeld());
    same("$key: extend() again", false, $lease->extend(60));
    same("$key: value", $value, $server->cmd('GET', $key));
    $pttl = $server->cmd('PTTL', $key);
    check("$key: ttl", $pttl <= 20000, $pttl);
}

done();
?>
--EXPECT--
ok
