--TEST--
Every method works behind Sentinels, whichever of them the DSN names.
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

$sentinels = start_sentinels();
$primary = $sentinels->servers[0];
foreach ([null, [0], [2, 1]] as $which) {
    $lock = new RedisLock($sentinels->dsn(which: $which), 'p:', persistent: false);
    $what = 'Sentinels ' . json_encode($which);
    matches("$what: acquire()", TOKEN, $token = (string) $lock->acquire('k', 30));
    same("$what: the primary has it", $token, $primary->cmd('GET', 'p:k'));
    same("$what: acquire() again", null, $lock->acquire('k', 30));
    same("$what: isLocked()", true, $lock->isLocked('k'));
    same("$what: owner()", $token, $lock->owner('k'));
    between("$what: remaining()", 20, 30, $lock->remaining('k'));
    same("$what: inspect()", explode('@', $token)[1], $lock->inspect('k')->label);
    same("$what: extend()", true, $lock->extend('k', $token, 60));
    between("$what: remaining() after it", 50, 60, $lock->remaining('k'));
    same("$what: release() of another", false, $lock->release('k', RedisLock::token()));
    same("$what: release()", true, $lock->release('k', $token));
    same("$what: isLocked() after it", false, $lock->isLocked('k'));
    same("$what: inspect() after it", null, $lock->inspect('k'));
    same("$what: an own token", 'mine', $lock->acquire('k', 30, 0, 'mine'));
    same("$what: its release", true, $lock->release('k', 'mine'));

    $lease = $lock->lease('k', 30);
    same("$what: lease", true, $lease->verify());
    same("$what: extend() of the lease", true, $lease->extend(60));
    $number = HAS_FENCES ? $lease->fence() : 0;
    $token = $lease->detach();
    $lease = $lock->resume('k', $token, 30);
    check("$what: resume()", $lease !== null);
    check("$what: fence()", !HAS_FENCES || $lease->fence() > $number);
    same("$what: resume() once", null, $lock->resume('k', $token, 30));
    same("$what: release() of the lease", true, $lease->release());
    same("$what: a section", 7, $lock->synchronized('k', fn () => 7));

    matches("$what: it is held", TOKEN, (string) $lock->acquire('k', 30));
    same("$what: forceRelease()", true, $lock->forceRelease('k'));
    same("$what: forceRelease() of a free lock", false, $lock->forceRelease('k'));
    $lock->close();
}
same('nothing is left', [], $primary->locks());

done();
?>
--EXPECT--
ok
