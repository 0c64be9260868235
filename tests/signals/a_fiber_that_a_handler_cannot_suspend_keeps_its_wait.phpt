--TEST--
A handler that tries to suspend the waiting Fiber gets PHP's FiberError, and the wait can go on.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$server->cmd('SET', 'k', 'somebody', 'PX', 60000);
$lock = new RedisLock($server->dsn(), retryMaxDelay: 0.05);
pcntl_async_signals(true);
$seen = [];
pcntl_signal(SIGUSR1, function () use (&$seen, $server): void {
    try {
        Fiber::suspend();
    } catch (FiberError $error) {
        $seen[] = $error->getMessage();
        $server->cmd('DEL', 'k');
    }
});
$fiber = new Fiber(fn () => $lock->acquire('k', 60, 20));
$sender = signal_later(SIGUSR1, room(0.2));
$fiber->start();
while (!$fiber->isTerminated()) {
    $server->cmd('DEL', 'k');
    $fiber->resume();
}
$sender->finish();
matches('acquire()', TOKEN, (string) $fiber->getReturn());
same('release()', true, $lock->release('k', $fiber->getReturn()));

pcntl_signal(SIGUSR1, fn () => Fiber::suspend());
$server->cmd('SET', 'k', 'somebody', 'PX', 60000);
$fiber = new Fiber(fn () => $lock->acquire('k', 60, 20));
$sender = signal_later(SIGUSR1, room(0.2));
try {
    $fiber->start();
    unset($fiber);
} catch (FiberError $error) {
    $seen[] = $error->getMessage();
}
$sender->finish();
$server->cmd('DEL', 'k');
usleep(200000);
same('nothing is left of an abandoned wait', [], $server->locks());
same('the object still works', true, $lock->release('k', $lock->acquire('k')));

done();
?>
--EXPECT--
ok
