--TEST--
A lease that is not renewed is lost when its TTL is over: isHeld() returns false without traffic from then on.
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
$lease = $lock->lease('k', room(0.2), renew: false);
eventually('it ends', fn () => !$lease->isHeld(), 2.0);
same('remaining()', 0.0, $lease->remaining());
throws('assertHeld()', 'RedisLockLostException', '~"k" was lost~', fn () => $lease->assertHeld());
throws('detach()', 'RedisLockLostException', '~"k" was lost~', fn () => $lease->detach());
without_traffic('what is lost', $server, function () use ($lease): void {
    same('extend()', false, $lease->extend(10));
    same('verify()', false, $lease->verify());
});
same('isHeld()', false, $lease->isHeld());
$held = $lease->heldFor();
usleep(20000);
check('heldFor() goes on until it is released', $lease->heldFor() >= $held + 0.02);

done();
?>
--EXPECT--
ok
