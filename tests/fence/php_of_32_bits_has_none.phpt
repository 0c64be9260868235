--TEST--
On a PHP of 32 bits fence() throws, and the lease stays held.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (HAS_FENCES) { die('skip PHP has 64 bits'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('k', 60);
throws('fence()', 'RedisLockException',
    "~^the lock \"k\" can have no fencing number: PHP's integers have 32 bits only$~D",
    fn () => $lease->fence());
same('it is held', true, $lease->verify());
same('release()', true, $lease->release());

done();
?>
--EXPECT--
ok
