--TEST--
Leases and sections under a storm of signals are all held, and all freed.
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
pcntl_async_signals(true);
$handled = 0;
pcntl_signal(SIGUSR1, function () use (&$handled, $lock): void {
    $handled++;
    same('in the handler', 1, $lock->synchronized("handler$handled", fn () => 1));
});
$sender = signal_later(SIGUSR1, 0.0, 30, room(0.01));
$rounds = 0;
for ($until = now() + room(0.6); now() < $until; $rounds++) {
    $lease = $lock->lease('k', 60);
    check('lease()', $lease?->isHeld() === true);
    same('extend()', true, $lease->extend(30));
    same('verify()', true, $lease->verify());
    $rounds % 2 === 0 ? same('release()', true, $lease->release()) : $lease = null;
    same('section', $rounds, $lock->synchronized('k', fn () => $rounds, 60));
}
$sender->finish();
pcntl_signal_dispatch();
check('signals', $handled > 5, $handled);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
