--TEST--
If a section throws after its lock was lost, its exception is thrown, not that of the loss.
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
throws('deleted', 'LogicException', '~^mine$~',
        fn () => $lock->synchronized('k', function () use ($server): void {
    $server->cmd('DEL', 'k');
    throw new LogicException('mine');
}, 60));
throws('expired', 'LogicException', '~^mine$~',
        fn () => $lock->synchronized('k', function ($lease): void {
    eventually('its time is over', fn () => !$lease->isHeld(), 2.0);
    throw new LogicException('mine');
}, room(0.15), renew: false));
throws('assertHeld()', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function ($lease) use ($server): void {
    $server->cmd('DEL', 'k');
    same('verify()', false, $lease->verify());
    $lease->assertHeld();
}, 60));

done();
?>
--EXPECT--
ok
