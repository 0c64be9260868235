--TEST--
flushMemory() deletes all keys of all memory:// servers of the process, and ends the leases on them without onLoss; the clock and connections go on.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';
require __DIR__ . '/../inc/child.inc';

$lock = new RedisLock('memory://');
$other = new RedisLock('memory://');
$shop = new RedisLock('memory://shop');

/* Locks of tokens, marks of once() and fencing numbers go, on each server. */
$token = $lock->acquire('k', 60);
check('acquire()', is_string($token) && is_string($shop->acquire('k', 60)));
check('once()', $shop->once('mail', fn () => null, for: 86400));
RedisLock::advance(1000);
check('acquire()', is_string($lock->acquire('k', 60)));
RedisLock::flushMemory();
same('the locks are gone', [null, null], [$other->owner('k'), $shop->owner('k')]);
same('release() of what is gone', false, $lock->release('k', $token));
same('once() runs again', true, $shop->once('mail', fn () => null, for: 86400));
RedisLock::flushMemory();
RedisLock::flushMemory();
same('the next test takes the lock', true, is_string($other->acquire('k', 60)));

/* The clock does not go back. */
RedisLock::advance(59);
same('before the TTL', true, $lock->isLocked('k'));
RedisLock::advance(1);
same('after it', false, $lock->isLocked('k'));

/* Leases end at once, each with the reason that it would have found. */
$losses = [];
$on_loss = function (RedisLockLease $lease) use (&$losses): void {
    $losses[] = $lease->key();
};
$leases = [$lock->lease('a', 30, onLoss: $on_loss), $lock->lease('b', 30, renew: false),
    $lock->lease(['c', 'd'], 30, onLoss: $on_loss), $lock->lease('e', 30, slots: 3),
    (new RedisLock(['memory://1', 'memory://2', 'memory://3']))->lease('f', 30, onLoss: $on_loss)];
$over = $lock->lease('over', 5, renew: false, onLoss: $on_loss);
$released = $lock->lease('g', 30);
check('release()', $released->release());
$lost = RedisLock::stats()['lost'];
RedisLock::flushMemory();
foreach ($leases as $lease) {
    same('isHeld()', false, $lease->isHeld());
    same('remaining()', 0.0, $lease->remaining());
    same('loss()', RedisLockLoss::Deleted, $lease->loss());
    same('verify()', false, $lease->verify());
    same('extend()', false, $lease->extend(30));
    throws('assertHeld()', RedisLockLostException::class, '~its key was deleted~',
        fn () => $lease->assertHeld());
}
same('a lease that was released before', RedisLockLoss::Released, $released->loss());
same('no gauge counts them', 0, RedisLock::stats()['held']);

/* Later holders are not disturbed: no renewal, no release, no onLoss of the test before. */
$held = $other->lease(['a', 'b', 'c', 'd', 'e', 'over'], 30);
RedisLock::advance(100);
check('release() of an old lease', array_map(fn ($lease) => $lease->release(), $leases)
    === array_fill(0, count($leases), false));
unset($leases, $lease, $over);
RedisLock::advance(100);
check('the new lease is held', $held->isHeld() && $held->verify());
same('onLoss', [], $losses);
same('lost leases', $lost, RedisLock::stats()['lost']);
check('release()', $held->release());

/* A loss from before, which no renewal has found yet, is not reported to a later test either. */
$lease = $lock->lease('due', 30, onLoss: $on_loss);
$other->forceRelease('due');
check('the loss is not known', $lease->isHeld());
RedisLock::flushMemory();
RedisLock::advance(100);
same('onLoss', [], $losses);

/* A section learns of it at its end, as of any loss. */
throws('synchronized()', RedisLockLostException::class, '~its key was deleted~',
    fn () => $lock->synchronized('k', function (): void {
        RedisLock::flushMemory();
    }));

/* A wait goes on, and takes the lock, which is free now; so does the queue behind it. */
check('acquire()', is_string($other->acquire('k', 3600)));
$won = $lock->acquire('k', 60, 600, abort: function (): bool {
    RedisLock::flushMemory();
    return false;
});
same('the wait', $won, $other->owner('k'));
$won = null;
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn () => RedisLock::flushMemory());
$sender = signal_later(SIGUSR1, room(0.15));
$won = $lock->acquire('k', 60, 600);
$sender->finish();
same('a wait in the queue', $won, $other->owner('k'));

/* A real server keeps its keys; a forked child empties only its own servers. */
$lease = $lock->lease('parent', 30);
check('acquire()', is_string($lock->acquire('parent too', 60)));
reap(in_fork(function (): void {
    check('acquire()', is_string((new RedisLock('memory://child'))->acquire('k', 60)));
    RedisLock::flushMemory();
    same('its own', null, (new RedisLock('memory://child'))->owner('k'));
    throws('the server of the parent', RedisLockConnectionException::class,
        '~belongs to the parent process~', fn () => (new RedisLock('memory://'))->owner('k'));
}));
check('the parent', $lease->verify() && $lock->isLocked('parent too'));

done();
?>
--EXPECT--
ok
