--TEST--
With a replica that confirms nothing each call that takes or prolongs a lock is an exception soon, and no new key is left.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/replicas.inc';

$all = start_replicated();
$lock = new RedisLock($all->dsn());
$kept = $lock->acquire('kept', 30);
/* The server learns the scripts: a script that it does not know is asked for twice. */
$kept = $lock->resume('kept', $kept, 30)->detach();
$lock->extend('kept', $kept, 30);
$all->pause();

unconfirmed('acquire()', fn () => $lock->acquire('k', 30));
no_key_is_left_but('acquire()');
unconfirmed('an own token', fn () => $lock->acquire('k', 30, token: 'my-token'));
no_key_is_left_but('an own token');
unconfirmed('lease()', fn () => $lock->lease('k', 30));
no_key_is_left_but('lease()');
unconfirmed('synchronized()', fn () => $lock->synchronized('k', fn () => print 'it ran'));
no_key_is_left_but('synchronized()');

unconfirmed('resume()', fn () => $lock->resume('kept', $kept, 60));
eventually('the old token is valid', fn () => $all->primary->cmd('GET', 'kept') === $kept, 1.0);
unconfirmed('extend()', fn () => $lock->extend('kept', $kept, 90));
between('it was extended all the same', 80000, 90000, $all->primary->cmd('PTTL', 'kept'));
same('its token', $kept, $all->primary->cmd('GET', 'kept'));

/* Calls that take and prolong nothing ask no replica. */
eventually('the server has ended WAIT', fn () => $lock->isLocked('kept'), 1.0);
$watch = new Stopwatch();
same('the questions and release()', [true, $kept, true],
    [$lock->isLocked('kept'), $lock->owner('kept'), $lock->release('kept', $kept)]);
$watch->within('at once', slack(0.02));
$stats = RedisLock::stats();
same('stats', [6, 5], [$stats['unconfirmed'], $stats['grants_undone']]);

/* Its time is an option of its own, a twentieth of the TTL at most, and at most half of the
 * timeout. */
undisturbed(0.01, function () use ($all): void {
    $short = new RedisLock($all->dsn(rest: '&replicas_timeout=0.03'));
    unconfirmed('a shorter time', fn () => $short->acquire('k', 30), 1, 0.03);
    no_key_is_left('a shorter time', $all->primary);
});
undisturbed(0.01, function () use ($all, $lock): void {
    unconfirmed('a short TTL', fn () => $lock->acquire('k', 0.4), 1, 0.02);
    no_key_is_left('a short TTL', $all->primary);
});
undisturbed(0.01, function () use ($all): void {
    $hasty = new RedisLock($all->dsn(rest: '&timeout=0.08'));
    unconfirmed('a short timeout', fn () => $hasty->acquire('k', 30), 1, 0.04);
    no_key_is_left('at the end', $all->primary);
});

$all->resume();
$patient = new RedisLock(
    $all->dsn(rest: '&timeout=' . room(1.0) . '&replicas_timeout=' . room(0.1)));
same('with the replica all is well', $token = $patient->acquire('k', 30),
    $all->replicas[0]->cmd('GET', 'k'));
$many = new RedisLock($all->dsn(2));
unconfirmed('more than there are', fn () => $many->acquire('other', 30), 2);
$lock->release('k', $token);

function no_key_is_left_but(string $what): void
{
    global $all;
    eventually("$what: no new key is left", fn () => $all->primary->locks() === ['0:kept'], 1.0);
}

done();
?>
--EXPECT--
ok
