--TEST--
With a minority of the servers dead all verbs work as usual.
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

foreach ([3 => [1], 4 => [0], 5 => [0, 3]] as $n => $dead) {
    $members = start_members($n);
    $members->kill(...$dead);
    $alive = array_values(array_diff(range(0, $n - 1), $dead));
    foreach (['warm' => $members->lock(), 'cold' => $members->lock(persistent: false)]
            as $what => $lock) {
        $what = "N = $n, $what";
        $took = elapsed(fn () => $lock->acquire('k', 30), $token);
        matches("$what: token", TOKEN, (string) $token);
        check("$what: at once", $took < slack(0.5), $took);
        $members->hold($what, 'k', $token, $alive);
        same("$what: isLocked()", true, $lock->isLocked('k'));
        same("$what: owner()", $token, $lock->owner('k'));
        between("$what: remaining()", 20, 30, $lock->remaining('k'));
        same("$what: taken", null, $lock->acquire('k', 30));
        same("$what: extend()", true, $lock->extend('k', $token, 60));
        between("$what: remaining()", 50, 60, $lock->remaining('k'));
        same("$what: release()", true, $lock->release('k', $token));
        $members->empty($what, $alive);
        same("$what: isLocked()", false, $lock->isLocked('k'));
        matches("$what: again", TOKEN, (string) $token = $lock->acquire('k', 30));
        same("$what: forceRelease()", true, $lock->forceRelease('k'));
        $members->empty("$what: forced", $alive);
    }
}

done();
?>
--EXPECT--
ok
