--TEST--
If a handler forks, the parent keeps its place in the queue, also when the child has ended, and the child waits on its own.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$token = hold($server, 'k');
pcntl_async_signals(true);
$parent = getmypid();
$child = 0;
pcntl_signal(SIGUSR1, function () use (&$child): void {
    $child = pcntl_fork();
});
$sender = signal_later(SIGUSR1, room(0.2));
$releases = in_fork(function () use ($server, $token): void {
    queued($server, 1);
    eventually('the child has had its wait',
        fn () => $server->cmd('EXISTS', 'the child is over') === 1);
    usleep(50000);
    queued($server, 1);
    same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
});
$won = null;
try {
    $won = $lock->acquire('k', 60, 20);
} catch (RedisLockConnectionException $thrown) {
}
if (getmypid() !== $parent) {
    $good = isset($thrown) && preg_match('~fork~', $thrown->getMessage()) === 1
        && $lock->acquire('k', wait: 0.1) === null
        && $lock->acquire('the child is over', wait: 1) !== null;
    exit($good ? 0 : 9);
}
$sender->finish();
reap($child);
reap($releases);
matches('token', TOKEN, (string) $won);
same('value', $won, $server->cmd('GET', 'k'));
same('woken', 1, RedisLock::stats()['wake_ups']);

/* The child does not keep the parent's connections open: the server sees the parent's end. */
$server->cmd('DEL', 'k', 'the child is over');
hold($server, 'k');
$dying = in_fork(function () use ($server): void {
    pcntl_signal(SIGUSR1, function () use (&$child): void {
        $child = pcntl_fork();
    });
    try {
        $ignored = (new RedisLock($server->dsn()))->acquire('k', 60, 20);
    } catch (RedisLockConnectionException) {
        $server->newClient()->cmd('SET', 'child', getmypid());
        sleep(30);
    }
});
queued($server, 1);
send_signal($dying, SIGUSR1);
eventually('the child lives', fn () => $server->cmd('EXISTS', 'child') === 1);
queued($server, 1);
send_signal($dying, SIGKILL);
pcntl_waitpid($dying, $status);
OwnProcesses::remove($dying);
queued($server, 0);
send_signal((int) $server->cmd('GET', 'child'), SIGKILL);

done();
?>
--EXPECT--
ok
