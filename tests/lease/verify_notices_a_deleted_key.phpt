--TEST--
verify() returns false when the key is gone, and the lease is lost from then on.
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
$server->cmd('DEL', 'k');
same('nobody has told it', true, $lease->isHeld());
same('verify()', false, $lease->verify());
same('isHeld()', false, $lease->isHeld());
same('remaining()', 0.0, $lease->remaining());
without_traffic('release()', $server, fn () => same('release()', false, $lease->release()));

done();
?>
--EXPECT--
ok
