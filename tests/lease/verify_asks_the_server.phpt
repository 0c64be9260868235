--TEST--
verify() returns true as long as the key on the server has our token.
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
$monitor = $server->monitor();
same('verify()', true, $lease->verify());
same('sent', ['GET k'], $monitor->lines());
same('again', true, $lease->verify());
is_whole('it', $server, $lease);

done();
?>
--EXPECT--
ok
