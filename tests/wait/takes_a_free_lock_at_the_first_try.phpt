--TEST--
A wait for a free lock is one SET.
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
$lock->isLocked('k');
$monitor = $server->monitor();
matches('token', TOKEN, $lock->acquire('k', wait: INF));
same('commands', ['SET k TOKEN NX PX 30000'], $monitor->lines());

done();
?>
--EXPECT--
ok
