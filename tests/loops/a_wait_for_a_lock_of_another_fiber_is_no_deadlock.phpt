--TEST--
A Fiber may wait for a lock that another Fiber of the process renews without end, but not for its own; a re-entrant object is entered by its own Fiber only.
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
$lock = new RedisLock($server->dsn());
RedisLock::waitWith(Loop::wait(...));

Loop::spawn(function () use ($lock): void {
    $lease = $lock->lease('k');
    Loop::sleep(0.05);
    throws('its own lock', 'RedisLockException', '~would never end|release that lease first~',
        fn () => $lock->lease('k', wait: 20), 0.5);
    $lease->release();
});
$other = null;
Loop::spawn(function () use ($lock, &$other): void {
    $other = $lock->lease('k', wait: 20);
});
Loop::run();
check('the other Fiber has it', $other instanceof RedisLockLease && $other->isHeld());
$other->release();

/* Where a call cannot yield, all Fibers stand still, and the wait is refused as before. */
$held = $lock->lease('k');
RedisLock::waitWith(null);
throws('without a waiter', 'RedisLockException', '~another Fiber or coroutine~',
    fn () => (new Fiber(fn () => $lock->lease('k', wait: 20)))->start(), 0.5);
$held->release();

/* A waiter that cannot wait, from the beginning or after a while. */
RedisLock::waitWith(Loop::wait(...));
$held = null;
Loop::spawn(function () use ($lock, &$held): void {
    $held = $lock->lease('k');
});
Loop::run();
throws('a waiter that refuses', 'RedisLockException', '~would never end~',
    fn () => $lock->synchronized('k', fn () => null, wait: INF), 2.0);
$asked = 0;
RedisLock::waitWith(function ($stream) use (&$asked): bool {
    return ++$asked < 10;
});
throws('a waiter that refuses later', 'RedisLockException', '~would never end~',
    fn () => $lock->lease('k', wait: INF), 2.0);
same('asked', 10, $asked);
RedisLock::waitWith(fn () => null);
throws('a waiter that never waits', 'RedisLockException', '~would never end~',
    fn () => $lock->acquire('k', wait: INF), 10.0);
check('it is held', $held->verify());
$held->release();

/* Re-entrant. */
RedisLock::waitWith(Loop::wait(...));
$nested = new RedisLock($server->dsn(), reentrant: true);
$inside = [];
for ($i = 0; $i < 3; $i++) {
    Loop::spawn(function () use ($nested, $i, &$inside): void {
        $nested->synchronized('r', function () use ($nested, $i, &$inside): void {
            $inside[] = "$i in";
            $nested->synchronized('r', fn () => Loop::sleep(0.02), 60, 20);
            $inside[] = "$i out";
        }, 60, 20);
    });
}
Loop::run();
same('one after another', ['0 in', '0 out', '1 in', '1 out', '2 in', '2 out'], $inside);
same('no key is left', [], $server->keys());

done();
?>
--EXPECT--
ok
