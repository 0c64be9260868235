--TEST--
Exceptions of leases have the documented classes, and getResult() returns null outside of synchronized().
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
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('k', 20);
$lease->release();
$lost = throws('assertHeld()', 'RedisLockLostException', '~~', fn () => $lease->assertHeld());
check('its class', $lost instanceof RedisLockException && $lost instanceof RuntimeException);
same('getResult()', null, $lost->getResult());
same('getCode()', 0, $lost->getCode());
same('getReasons()', [], $lost->getReasons());
$server->cmd('SET', 'k', 'somebody');
$timeout = throws('synchronized()', 'RedisLockTimeoutException', '~"k"~',
    fn () => $lock->synchronized('k', fn () => 1));
check('its class', $timeout instanceof RedisLockException);
same('getResult() is its own', false, method_exists($timeout, 'getResult'));

done();
?>
--EXPECT--
ok
