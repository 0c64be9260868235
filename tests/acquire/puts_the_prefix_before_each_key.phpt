--TEST--
The prefix is put before the key of every call.
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
$lock = new RedisLock($server->dsn(), "shop\0:");
$bare = new RedisLock($server->dsn());
$token = $lock->acquire('k');

same('keys', ["0:shop\0:k"], $server->keys());
same('isLocked()', [true, false], [$lock->isLocked('k'), $bare->isLocked('k')]);
same('owner()', $token, $lock->owner('k'));
check('remaining()', $lock->remaining('k') > 0);
same('the whole key', $token, $bare->owner("shop\0:k"));
same('extend()', true, $lock->extend('k', $token, 60));
same('acquire()', null, $lock->acquire('k', wait: 0.05));
same('release() of the bare key', false, $bare->release('k', $token));
same('release()', true, $lock->release('k', $token));
same('forceRelease()', false, $lock->forceRelease('k'));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
