--TEST--
advance() moves the clock of memory://: TTLs end, leases are renewed at their times or end, and no test sleeps.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

$lock = new RedisLock('memory://');
$other = new RedisLock('memory://');

/* A lock ends by its TTL. */
$token = $lock->acquire('k', 10);
RedisLock::advance(9.5);
check('it is locked', $other->isLocked('k'));
between('remaining()', 0.3, 0.5, $other->remaining('k'));
same('another acquire()', null, $other->acquire('k', 10));
RedisLock::advance(0.6);
same('the lock ends', false, $other->isLocked('k'));
same('release() of what has ended', false, $lock->release('k', $token));

/* So it does when the clock moves by its TTL, and not a millisecond before. */
for ($i = 0; $i < 100; $i++) {
    check('acquire()', is_string($lock->acquire("ttl $i", 1000)));
}
RedisLock::advance(990);
$is_locked = fn (int $i) => $other->isLocked("ttl $i");
same('before the TTL', 100, count(array_filter(range(0, 99), $is_locked)));
check('acquire()', is_string($lock->acquire('exact', 10)));
RedisLock::advance(10);
same('the TTL', false, $other->isLocked('exact'));
same('all of them', 0, count(array_filter(range(0, 99), $is_locked)));

/* A lease that is not renewed ends. */
$lease = $lock->lease('k', 10, renew: false);
RedisLock::advance(9);
check('it is held', $lease->isHeld());
RedisLock::advance(1.5);
same('it has ended', false, $lease->isHeld());
same('loss()', RedisLockLoss::Expired, $lease->loss());
check('the next holder gets it', is_string($other->acquire('k', 1)));
RedisLock::advance(2);

/* A renewed lease goes on for a day, in far less time. */
$before = RedisLock::stats()['renewed'];
$lease = $lock->lease('k', 30);
$took = elapsed(fn () => RedisLock::advance(86400));
check('quick', $took < slack(10), $took);
check('it is still held', $lease->isHeld());
between('heldFor()', 86400, 86405, $lease->heldFor());
between('renewals, one each 10 s', 8600, 8800, RedisLock::stats()['renewed'] - $before);
between('remaining()', 19.5, 30, $other->remaining('k'));
same('release()', true, $lease->release());

/* A lease ends at maxHold. */
$lease = $lock->lease('k', 3, maxHold: 60);
RedisLock::advance(59);
check('before maxHold', $lease->isHeld());
RedisLock::advance(2);
same('after it', false, $lease->isHeld());
same('the lock is free', false, $other->isLocked('k'));

/* Another client takes the lock away: onLoss is called once the watchdog has noticed. */
$lost = [];
$lease = $lock->lease('k', 30, onLoss: function (RedisLockLease $lease) use (&$lost): void {
    $lost[] = [$lease->key(), $lease->loss()];
});
$other->forceRelease('k');
check('not noticed yet', $lease->isHeld());
RedisLock::advance(11);
same('onLoss', [['k', RedisLockLoss::Deleted]], $lost);
throws('assertHeld()', RedisLockLostException::class, '~k~', fn () => $lease->assertHeld());

/* Nothing to do, and what is no time. */
RedisLock::advance(0);
RedisLock::advance(1);
foreach ([-1, -0.001, NAN, INF, 31622401, 1e300] as $bad) {
    throws('advance()', ValueError::class, '~\$seconds\) must be from 0 to 31622400 seconds$~',
        fn () => RedisLock::advance($bad));
}
foreach ([true, 'soon', []] as $bad) {
    throws('advance()', TypeError::class, '~float~', fn () => RedisLock::advance($bad));
}

done();
?>
--EXPECT--
ok
