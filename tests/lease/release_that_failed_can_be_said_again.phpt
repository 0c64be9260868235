--TEST--
A release() that could not reach the server throws; a later call frees the lock.
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
$lock = new RedisLock($server->dsn(), timeout: slack(0.1));
$lease = $lock->lease('k', 60);
$server->pause();
throws('release()', 'RedisLockConnectionException', '~.~', fn () => $lease->release());
$server->resume();
$again = $lease->release();
check('release()', is_bool($again), $again);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
