--TEST--
extend() is one EVALSHA.
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
$token = $lock->acquire('k', 20);
$lock->extend('k', $token, 20);
$monitor = $server->monitor();
same('extend()', true, $lock->extend('k', $token, 1.2349));
same('commands', ['EVALSHA SHA 1 k TOKEN 1234'], $monitor->lines());
between('PTTL', 1, 1234, $server->cmd('PTTL', 'k'));

done();
?>
--EXPECT--
ok
