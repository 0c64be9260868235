--TEST--
verify() returns false when another holder has the lock, and that holder keeps it.
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
$server->cmd('SET', 'k', 'somebody', 'PX', 20000);
same('verify()', false, $lease->verify());
same('isHeld()', false, $lease->isHeld());
same('release()', false, $lease->release());
unset($lease);
same('value', 'somebody', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
