--TEST--
acquire() returns null while any object holds the lock, and leaves the key of the holder as it is.
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
$other = new RedisLock($server->dsn(), persistent: false);
$token = $lock->acquire('k', 20);

same('same object', null, $lock->acquire('k', 300));
same('other object', null, $other->acquire('k', 300));
same('value', $token, $server->cmd('GET', 'k'));
between('PTTL', 1, 20000, $server->cmd('PTTL', 'k'));
same('another key is free', true, $other->acquire('k2') !== null);

done();
?>
--EXPECT--
ok
