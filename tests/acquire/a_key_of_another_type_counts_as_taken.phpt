--TEST--
A list under the name of a lock never counts as a free lock, and is not changed.
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
$server->cmd('RPUSH', 'k', 'a', 'b');
$lock = new RedisLock($server->dsn());

same('acquire()', null, $lock->acquire('k'));
same('isLocked()', true, $lock->isLocked('k'));
$error = throws('owner()', 'RedisLockServerException', '~WRONGTYPE the key holds a list~',
    fn () => $lock->owner('k'));
same('code of the error', 'WRONGTYPE', $error->getErrorCode());
throws('release()', 'RedisLockServerException', '~WRONGTYPE|script~',
    fn () => $lock->release('k', 'a'));
throws('extend()', 'RedisLockServerException', '~WRONGTYPE|script~',
    fn () => $lock->extend('k', 'a', 10));
same('remaining()', INF, $lock->remaining('k'));
same('list', ['a', 'b'], $server->cmd('LRANGE', 'k', 0, -1));
throws('forceRelease()', 'RedisLockServerException', '~WRONGTYPE the key holds a list~',
    fn () => $lock->forceRelease('k'));
throws('a wait', 'RedisLockServerException', '~WRONGTYPE~', fn () => $lock->acquire('k', wait: 1));
same('list', ['a', 'b'], $server->cmd('LRANGE', 'k', 0, -1));

done();
?>
--EXPECT--
ok
