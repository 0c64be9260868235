--TEST--
With failover_grace a new primary grants no lock before the grace is over, and leases are put back.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
skip_without_sentinel();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';

const GRACE = 6.0;

$too_new = '~it has become the primary only lately, so it grants no lock for [\d.]+ s more '
    . '\(failover_grace\)~';
$sentinels = start_sentinels(3, 1);
$lock = new RedisLock($sentinels->dsn('?failover_grace=' . GRACE));

/* These Sentinels have just been started. */
throws('at the start', RedisLockConnectionException::class, $too_new,
    fn () => $lock->acquire('k', 4.9));
same('it was held back', 1, RedisLock::stats()['blocked_by_grace']);
$token = $lock->acquire('k', 4.9, slack(30.0));
matches('a wait lasts as long', TOKEN, (string) $token);
matches('then a call needs no wait', TOKEN, (string) $lock->acquire('free', 4.9));
same('a lock that is held', null, $lock->acquire('k', 4.9));
$lease = $lock->lease('lease', 4.9);
$kept = $lock->acquire('kept', 4.9);
eventually('the replica has the locks', fn () =>
    $sentinels->ask(1, 'EXISTS', 'k', 'lease', 'kept') === 3, 10.0);

/* The replica had not received this lock. */
$begun = now();
$sentinels->beginFailover();
eventually('the replica is the primary', fn () => $sentinels->ask(1, 'ROLE')[0] === 'master', 10.0);
$proven = now() + 4.9; // and not longer, because nothing has prolonged it
$sentinels->ask(1, 'DEL', 'k', 'lease');
$extended = function () use ($lock, $kept): bool {
    try {
        return $lock->extend('kept', $kept, 4.9);
    } catch (RedisLockConnectionException $e) { // in the first second
        matches('extend()', '~so it prolongs no lock for (1|0)[.\d]* s more~', $e->getMessage());
        return false;
    }
};
while (RedisLock::stats()['primary_switches'] === 0 && now() - $begun < slack(10.0)) {
    $extended();
    usleep(20000);
}
$named = now(); // by a majority, in their answers to SENTINEL MASTER
same('it must have done so for a second', false, $extended());
eventually('a token whose lock is there can be extended', $extended, slack(2.0));
between('after this second, of which some had passed', 0.2, slack(2.0), now() - $named);
same('a token whose lock is not there', false, $lock->extend('k', $token, 4.9));
throws('resume()', RedisLockConnectionException::class, $too_new,
    fn () => $lock->resume('kept', $kept, 4.9));
throws('acquire()', RedisLockConnectionException::class, $too_new,
    fn () => $lock->acquire('k', 4.9));
throws('a wait that is shorter', RedisLockConnectionException::class, $too_new,
    fn () => $lock->acquire('k', 4.9, 0.3));
eventually('the lease is put back', fn () =>
    $sentinels->ask(1, 'GET', 'lease') === $lease->token(), slack(4.0));
same('the lease was held all the time', true, $lease->isHeld());
$looks = RedisLock::stats()['sentinel_lookups'];
$second = $lock->acquire('k', 4.9, slack(30.0));
matches('a wait gets it', TOKEN, (string) $second);
check('not before the proof of the first holder is over', now() >= $proven, now() - $proven);
between('when the grace is over', $named + GRACE - 2.5, $named + slack(GRACE + 2.0), now());
$looks = RedisLock::stats()['sentinel_lookups'] - $looks;
/* The lease has some asked as well. */
between('the Sentinels were asked about once a second', 1, 2.5 * GRACE, $looks);
same('the lease is still held', [true, true], [$lease->isHeld(), $lease->verify()]);
same('extended, too', [true, true], [$lease->extend(4.5), $lease->release()]);

done();
?>
--EXPECT--
ok
