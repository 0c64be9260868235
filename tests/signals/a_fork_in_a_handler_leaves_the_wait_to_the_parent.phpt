--TEST--
If a handler forks during a wait, the parent's wait continues, and the child's wait throws and sends nothing.
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
$parent = getmypid();
$child = 0;
pcntl_signal(SIGUSR1, function () use (&$child, $server): void {
    $child = pcntl_fork();
    if ($child !== 0) {
        touch("$server->folder/forked");
    }
});
$sender = signal_later(SIGUSR1, room(0.2));
$token = null;
try {
    $delete = in_fork(function () use ($server): void {
        eventually('it was forked', fn () => file_exists("$server->folder/forked"));
        usleep(500000);
        $server->cmd('DEL', 'k');
    });
    $token = $lock->acquire('k', 60, 20);
} catch (Throwable $thrown) {
    if (getmypid() !== $parent) {
        $good = $thrown instanceof RedisLockException
            && preg_match('~fork~i', $thrown->getMessage());
        if (!$good) {
            echo 'FAILED in the child: ', show($thrown), "\n";
        }
        $good = $lock->isLocked('k') === true && $good;
        exit($good ? 0 : 9);
    }
    throw $thrown;
}
if (getmypid() !== $parent) {
    echo "FAILED: the child's wait came back\n";
    exit(9);
}
$sender->finish();
check('it was forked', $child > 0);
reap($child);
reap($delete);
matches('acquire()', TOKEN, (string) $token);
same('keys', ['0:k'], $server->keys());
same('release()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
