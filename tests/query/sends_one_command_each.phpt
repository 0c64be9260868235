--TEST--
isLocked() is EXISTS, owner() GET, remaining() PTTL and forceRelease() DEL, with nothing else.
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
$lock->acquire('k');
$monitor = $server->monitor();
$lock->isLocked('k');
$lock->owner('k');
$lock->remaining('k');
$lock->forceRelease('k');
same('commands', ['EXISTS k', 'GET k', 'PTTL k', 'DEL k'], $monitor->lines());

done();
?>
--EXPECT--
ok
