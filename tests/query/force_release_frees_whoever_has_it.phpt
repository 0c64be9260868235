--TEST--
forceRelease() frees the lock of any holder, and returns whether there was one.
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
same('free', false, $lock->forceRelease('k'));
$token = $lock->acquire('k');
same("another object's", true,
    (new RedisLock($server->dsn(), persistent: false))->forceRelease('k'));
same('keys', [], $server->keys());
same('the holder learns it', false, $lock->release('k', $token));
$server->cmd('SET', 'k', 'somebody');
same("somebody else's", true, $lock->forceRelease('k'));
$server->cmd('SET', 'k', '');
same('a reserved one', true, $lock->forceRelease('k'));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
