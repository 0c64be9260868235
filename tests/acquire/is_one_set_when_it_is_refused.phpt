--TEST--
A refusal without a wait is one SET as well.
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
$token = $lock->acquire('k');

$monitor = $server->monitor();
same('second acquire()', null, $lock->acquire('k'));
same('commands', ['SET k TOKEN NX PX 30000'], $monitor->lines());
same('value', $token, $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
