--TEST--
If a lock turns out to be lost while it is entered again, onLoss is not called for it, but for the lock that the call takes instead.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), timeout: room(5.0), reentrant: true);
pcntl_async_signals(true);
pcntl_signal(SIGALRM, fn () => $server->resume());
$called = [];
$outer = $lock->lease('k', 1.0, renew: false);
usleep(600_000);
$server->pause(); // for longer than the rest of the TTL
pcntl_alarm(1);
$onLoss = function (RedisLockLease $lease) use (&$called): void {
    $called[] = $lease;
    $lease->release();
};
$lease = $lock->lease('k', room(1.0), onLoss: $onLoss);
same('the outer lease is lost', false, $outer->isHeld());
same('onLoss was not called', [], $called);
same('the new lease is held', true, $lease->isHeld());
$server->cmd('DEL', 'k');
eventually('the loss', fn () => !$lease->isHeld(), 5.0);
eventually('onLoss', function () use (&$called, $lease): bool {
    return $called === [$lease];
}, 5.0);
unset($lease, $outer, $called);
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
