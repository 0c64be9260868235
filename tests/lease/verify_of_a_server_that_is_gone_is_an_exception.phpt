--TEST--
verify() and extend() throw when the server cannot be asked, and the lease keeps its proof.
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
$server->kill();
throws('verify()', 'RedisLockConnectionException', '~.~', fn () => $lease->verify());
same('isHeld()', true, $lease->isHeld());
throws('extend()', 'RedisLockConnectionException', '~.~', fn () => $lease->extend(60));
check('the shorter counts', $lease->remaining() < 20, $lease->remaining());
throws('extend() to less', 'RedisLockConnectionException', '~.~', fn () => $lease->extend(5));
check('the shorter counts', $lease->remaining() < 5, $lease->remaining());
same('isHeld()', true, $lease->isHeld());
throws('release()', 'RedisLockConnectionException', '~.~', fn () => $lease->release());
$server->start();
same('verify() of a server that forgot', false, $lease->verify());
same('isHeld()', false, $lease->isHeld());

done();
?>
--EXPECT--
ok
