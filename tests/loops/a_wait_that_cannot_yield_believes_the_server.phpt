--TEST--
A wait that cannot yield is refused as endless only if the server says that a lease of the thread has the lock.
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
require __DIR__ . '/../inc/loop.inc';

$server = start_server();
$lock = new RedisLock($server->dsn('?timeout=0.3'));
$refuses = fn (): bool => false;

/* The key was deleted, and another client has the lock for a moment. */
RedisLock::waitWith($refuses);
$held = $lock->lease('k', 60);
$server->cmd('SET', 'k', 'other', 'PX', 500);
$token = $lock->acquire('k', 60, slack(10.0));
matches('another client had it', TOKEN, (string) $token);
check('the lease still seems to be held', $held->isHeld());
same('release()', true, $lock->release('k', (string) $token));
unset($held);

/* The same with a lease of another Fiber, and with a waiter that refuses after a while. */
RedisLock::waitWith(Loop::wait(...));
$held = null;
Loop::spawn(function () use ($lock, &$held): void {
    $held = $lock->lease('k', 60);
});
Loop::run();
$server->cmd('SET', 'k', 'other', 'PX', 500);
$asked = 0;
RedisLock::waitWith(function () use (&$asked): bool {
    return ++$asked < 10;
});
matches('another client had it, in a Fiber', TOKEN,
    (string) ($token = $lock->acquire('k', 60, slack(10.0))));
same('asked', 10, $asked);
same('release(), in a Fiber', true, $lock->release('k', (string) $token));
unset($held);

/* The server is away. */
RedisLock::waitWith($refuses);
$held = $lock->lease('k', 60);
$server->pause();
throws('the server is away', 'RedisLockConnectionException', '~no answer within 0.3 s|connect~',
    fn () => $lock->acquire('k', 60, 1.0));
$server->resume();
/* It is away when the wait begins, and comes back. */
$server->pause();
$child = in_fork(function () use ($server): void {
    usleep(1500000);
    $server->resume();
});
throws('the server comes back', 'RedisLockException', '~would never end~',
    fn () => $lock->acquire('k', 60, INF), slack(20.0));
reap($child);
throws('the server is back', 'RedisLockException', '~would never end~',
    fn () => $lock->acquire('k', 60, slack(10.0)));
same('release(), at the end', true, $held->release());

done();
?>
--EXPECT--
ok
