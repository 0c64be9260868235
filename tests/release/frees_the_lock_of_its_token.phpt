--TEST--
release() frees the lock and returns true; a second one returns false.
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
$token = $lock->acquire('k');
same('release()', true, $lock->release('k', $token));
same('keys', [], $server->keys());
same('release() again', false, $lock->release('k', $token));
matches('acquire() again', TOKEN, $lock->acquire('k'));

done();
?>
--EXPECT--
ok
