--TEST--
A user with the least rights that the README names can do everything.
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
$server->cmd('ACL', 'SETUSER', 'locker', 'on', '>pw', 'resetchannels', '~lock:*', '-@all', '+set', '+get', '+del', '+exists', '+pttl', '+pexpire', '+eval', '+evalsha', '+select', '+client|setname');
$lock = new RedisLock($server->dsn('?db=1', 'locker:pw'), 'lock:');
$token = $lock->acquire('k');
matches('acquire()', TOKEN, $token);
same('refused', null, $lock->acquire('k'));
same('a wait', null, $lock->acquire('k', wait: 0.05));
same('extend()', true, $lock->extend('k', $token, 60));
same('isLocked()', true, $lock->isLocked('k'));
same('owner()', $token, $lock->owner('k'));
check('remaining()', $lock->remaining('k') > 0);
same('release()', true, $lock->release('k', $token));
same('a wait', true, $lock->release('k', $lock->acquire('k', wait: 1)));
same('forceRelease()', false, $lock->forceRelease('k'));
same('nothing was denied', 0, count($server->cmd('ACL', 'LOG')));
$bare = new RedisLock($server->dsn('?db=1', 'locker:pw'));
throws('keys without the prefix', 'RedisLockServerException', '~NOPERM~', fn () => $bare->acquire('k'));

done();
?>
--EXPECT--
ok
