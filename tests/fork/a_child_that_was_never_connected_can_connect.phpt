--TEST--
A fork before the first call has no effect on the child's connections.
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
reap(in_fork(fn () => same('in the child', true, $lock->release('k', $lock->acquire('k')))));
same('in the parent', true, $lock->release('k', $lock->acquire('k')));

done();
?>
--EXPECT--
ok
