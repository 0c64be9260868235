--TEST--
The proof ends before the TTL by driftFactor and 2 ms, counted from before the first send.
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
foreach ([0.01, 0.1, 0.5] as $drift) {
    $lock = $members->lock(driftFactor: $drift);
    $start = now();
    $lease = $lock->lease('k', 10.0, renew: false);
    $most = 10.0 * (1 - $drift) - 0.002;
    $remaining = $lease->remaining();
    between("drift $drift", $most - slack(1.0), $most, $remaining);
    check("drift $drift: counted from the start",
        $remaining <= $most - 0.0 && $remaining + (now() - $start) >= $most - 0.001, $remaining);
    same("drift $drift: extend()", true, $lease->extend(20.0));
    $most = 20.0 * (1 - $drift) - 0.002;
    between("drift $drift: after extend()", $most - slack(1.0), $most, $lease->remaining());
    same("drift $drift: release()", true, $lease->release());
    $members->empty("drift $drift");
}

done();
?>
--EXPECT--
ok
