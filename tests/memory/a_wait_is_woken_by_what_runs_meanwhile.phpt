--TEST--
A wait on memory:// is woken by a handler that frees the lock, ends with the TTL of the holder, and takes notice of a clock that a handler moves.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';
require __DIR__ . '/../inc/child.inc';

pcntl_async_signals(true);
$lock = new RedisLock('memory://');
$other = new RedisLock('memory://');

/** Runs $handler within the wait, once. */
function in_the_wait(Closure $handler, Closure $wait): mixed
{
    pcntl_signal(SIGUSR1, $handler);
    $sender = signal_later(SIGUSR1, room(0.15));
    $result = $wait();
    $sender->finish();
    return $result;
}

/* Woken by the release of a signal handler. */
$token = $other->acquire('k', 60);
$before = RedisLock::stats()['wake_ups'];
$won = in_the_wait(fn () => same('release()', true, $other->release('k', $token)),
    fn () => $lock->acquire('k', 5, 20));
check('the wait is won', is_string($won) && $won === $other->owner('k'));
same('it was woken', 1, RedisLock::stats()['wake_ups'] - $before);
$lock->release('k', $won);

/* A second waiter inside the first one's handler: the first in the queue comes first. */
$token = $other->acquire('k', 60);
$inner = null;
$won = in_the_wait(function () use ($lock, $other, $token, &$inner): void {
    check('release()', $other->release('k', $token));
    $inner = $lock->acquire('k', 5, 0.05);
}, fn () => $lock->acquire('k', 5, 20));
same('the second waiter', null, $inner);
check('the first waiter', is_string($won));
$lock->release('k', $won);

/* The holder's TTL ends in the wait. */
check('it is held', is_string($other->acquire('k', 0.1)));
check('after the TTL', is_string($won = $lock->acquire('k', 5, 20)));
$lock->release('k', $won);

/* In a handler the clock moves: past the deadline of the wait, or past the TTL of the holder. */
check('it is held', is_string($other->acquire('k', 1000)));
$took = elapsed(fn () => in_the_wait(fn () => RedisLock::advance(500),
    fn () => $lock->acquire('k', 5, 400)), $won);
same('the deadline is over', null, $won);
check('no time has passed', $took < slack(20), $took);
$took = elapsed(fn () => in_the_wait(fn () => RedisLock::advance(600),
    fn () => $lock->acquire('k', 5, 1000)), $won);
check('the TTL is over', is_string($won));
check('no time has passed', $took < slack(20), $took);
$lock->release('k', $won);

/* A suspended Fiber has the lease, another Fiber waits, and the handler frees the lease. */
$held = null;
$holder = new Fiber(function () use ($other, &$held): void {
    $held = $other->lease('k', 10, maxHold: 600);
    Fiber::suspend();
    same('the lease is released', false, $held->isHeld());
});
$holder->start();
$waiter = new Fiber(fn () => in_the_wait(fn () => same('release()', true, $held->release()),
    fn () => $lock->acquire('k', 5, 20)));
$waiter->start();
$holder->resume();
check('the waiting Fiber has it', is_string($waiter->getReturn())
    && $waiter->getReturn() === $other->owner('k'));

/* In vain. */
$took = elapsed(fn () => $other->acquire('k', 5, 0.1), $won);
same('in vain', null, $won);
check('not before its time', $took >= 0.1, $took);

done();
?>
--EXPECT--
ok
