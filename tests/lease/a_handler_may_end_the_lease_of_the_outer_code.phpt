--TEST--
A signal handler may release or unset the lease of the code that it interrupts, also while that code waits for another lock.
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
$server->cmd('SET', 'taken', 'somebody');
pcntl_async_signals(true);
$lease = null;
foreach (['release()' => fn () => $lease->release(), 'unset' => function () use (&$lease): void {
    $lease = null;
}] as $what => $end) {
    $lease = $lock->lease('k', 60);
    pcntl_signal(SIGUSR1, $what === 'unset' ? $end : function () use (&$lease): void {
        same('release()', true, $lease->release());
    });
    $sender = signal_later(SIGUSR1, 0.05);
    same("$what: a wait goes on", null, $lock->lease('taken', 60, room(0.3)));
    $sender->finish();
    same("$what: keys", ['0:taken'], $server->locks());
    same("$what: isHeld()", false, $lease?->isHeld() ?? false);
}
$result = $lock->synchronized('k', function (RedisLockLease $lease) use ($lock): string {
    pcntl_signal(SIGUSR1, fn () => $lease->release());
    $sender = signal_later(SIGUSR1, 0.05);
    same('a wait goes on', null, $lock->lease('taken', 60, room(0.3)));
    $sender->finish();
    same('isHeld()', false, $lease->isHeld());
    return 'done';
}, 60);
same('a section', 'done', $result);
same('keys', ['0:taken'], $server->locks());

done();
?>
--EXPECT--
ok
