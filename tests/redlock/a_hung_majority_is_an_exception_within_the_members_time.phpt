--TEST--
Without answers of a quorum a call ends at the timeout, or at a tenth of the TTL if that is shorter, and undoes its grants.
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

$members = start_members(5);
$hung = [0, 2, 3];
$named = array_map(fn (int $i) => $members->servers[$i], $hung);
$time = room(0.3);
foreach ([[$time, 30.0, $time], [30.0, 10 * $time, $time]] as [$timeout, $ttl, $least]) {
    foreach ([true, false] as $isPersistent) {
        $what = "timeout $timeout, ttl $ttl, " . ($isPersistent ? 'warm' : 'cold');
        $lock = $members->lock(timeout: $timeout, persistent: $isPersistent);
        $lock->release('k', $lock->acquire('k'));
        $members->empty("$what: at first");
        $members->pause(...$hung);
        $took = elapsed(fn () => fails_by($what, $named, fn () => $lock->acquire('k', $ttl), 10.0));
        between("$what: in time", $isPersistent ? $least * 0.9 : 0, $least + slack(1.0), $took);
        $members->empty("$what: at those that answer", [1, 4]);
        $members->resume(...$hung);
        $members->empty("$what: at all", null, 2.0);
        matches("$what: works again", TOKEN, (string) $token = $lock->acquire('k', 30, slack(5.0)));
        same("$what: release()", true, $lock->release('k', $token));
        $members->empty("$what: at the end");
    }
}

done();
?>
--EXPECT--
ok
