--TEST--
A member that has not answered a short extend() may shorten the lease later, so a long extend() proves no more. A resume() shortens nothing.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock(timeout: slack(0.5));
$lock->release('warm', $lock->acquire('warm'));

/* If no member is late, nothing is in doubt. On a busy machine one may be late. */
$well = 0;
for ($i = 0; $i < 40 && $well === 0; $i++) {
    $lease = $lock->lease("well $i", 60, renew: false);
    $lease->extend(20);
    same('extend(60)', true, $lease->extend(60));
    $well += $lease->remaining() > 50.0;
    $lease->release();
}
check('all have answered: remaining()', $well > 0);
$members->empty('at first');

foreach ([0, 1, 2] as $late) {
    /* When the member continues it has the command, and runs it then, perhaps after later
     * commands. */
    $lease = $lock->lease("extended $late", 60, renew: false);
    $members->pause($late);
    $took = elapsed(fn () => $lease->extend(20), $isExtended);
    same("$late is late: extend(20)", true, $isExtended);
    check("$late is late: extend() hopes for it a little", $took > 0.02, $took);
    between("$late is late: remaining()", 0.0, 20.0, $lease->remaining());
    same("$late is late: extend(60)", true, $lease->extend(60));
    between("$late is late: remaining() after extend(60)", 10.0, 20.0, $lease->remaining());
    $members->resume($late);
    same("$late goes on: extend(60)", true, $lease->extend(60));
    between("$late goes on: remaining()", 10.0, 20.0, $lease->remaining());
    same("$late goes on: release()", true, $lease->release());

    $token = $lock->lease("resumed $late", 60, renew: false)->detach();
    $members->hold("resumed $late", "resumed $late", $token);
    $members->pause($late);
    $took = elapsed(fn () => $lock->resume("resumed $late", $token, 20, renew: false), $lease);
    check("$late is late: resume() hopes for it a little", $took > 0.02, $took);
    check("$late is late: resume()", $lease?->isHeld() === true);
    same("$late is late: extend(60) after resume()", true, $lease->extend(60));
    between("$late is late: remaining() after resume() and extend(60)", 30.0, 60.0,
        $lease->remaining());
    $members->resume($late);
    same("$late goes on: release() after resume()", true, $lease->release());
    $members->empty("$late goes on");
}

done();
?>
--EXPECT--
ok
