--TEST--
If the key has become a list, verify() and extend() throw the error of the server.
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
$lease = $lock->lease('k', 20);
$server->cmd('DEL', 'k');
$server->cmd('RPUSH', 'k', 'x');
throws('verify()', 'RedisLockServerException', '~WRONGTYPE~', fn () => $lease->verify());
throws('extend()', 'RedisLockServerException', '~WRONGTYPE~', fn () => $lease->extend(20));
throws('release()', 'RedisLockServerException', '~WRONGTYPE~', fn () => $lease->release());
unset($lease);
same('the list stays', 1, $server->cmd('LLEN', 'k'));

done();
?>
--EXPECT--
ok
