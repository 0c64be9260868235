--TEST--
A Fiber that waits is resumed in a forked child, too, where its call throws; the parent keeps its place in the queue.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';
require __DIR__ . '/../inc/loop.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
RedisLock::waitWith(Loop::wait(...));
$held = hold($server, 'k');
$token = null;
Loop::spawn(function () use ($lock, &$token): void {
    try {
        $token = $lock->acquire('k', 60, 60);
    } catch (RedisLockException $thrown) {
        $token = $thrown;
    }
});
Loop::run(fn () => count(marked($server, 'k')) === 1);
$pid = in_fork(function () use (&$token, $lock): void {
    $until = now() + 20;
    Loop::run(fn () => now() > $until);
    check('the child throws', $token instanceof RedisLockException, $token);
    matches('it', '~forked~', $token instanceof Throwable ? $token->getMessage() : '');
    /* Its own calls yield as well. */
    $own = null;
    Loop::spawn(function () use ($lock, &$own): void {
        $own = $lock->acquire('of the child', 60, 1);
        $lock->release('of the child', $own);
    });
    Loop::run();
    matches('of the child', TOKEN, (string) $own);
});
reap($pid);
same('the place of the parent', 1, count(marked($server, 'k')));
Loop::spawn(fn () => $lock->release('k', $held));
between('the parent gets it: seconds', 0, slack(0.8), elapsed(fn () => Loop::run()));
matches('the parent has it', TOKEN, (string) $token);
$lock->release('k', $token);
eventually('no key is left', fn () => $server->keys() === []);

done();
?>
--EXPECT--
ok
