--TEST--
If the key is gone on a quorum, the lease is lost at its next renewal, and the rest of it is released.
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
require_once __DIR__ . '/../inc/renew.inc';

foreach ([3, 4, 5] as $n) {
    $members = start_members($n);
    $lock = $members->lock();
    $lease = $lock->lease('k', room(3.0));
    $members->hold("N = $n", 'k', $lease->token());
    $minority = $n - $members->quorum();
    /* A renewal gives a member that lost the key its token back: only what is another's counts. */
    for ($i = 0; $i < $minority; $i++) {
        $members->servers[$i]->cmd('SET', 'k', 'theirs', 'PX', 60000);
    }
    renewals_go_on("N = $n: a minority", 2);
    same("N = $n: a minority: isHeld()", true, $lease->isHeld());
    $members->servers[$minority]->cmd('SET', 'k', 'theirs', 'PX', 60000);
    $took = until_lost("N = $n", $lease);
    between("N = $n: at its next renewal", 0, slack(2.0), $took);
    $members->empty("N = $n: what is left", range($minority + 1, $n - 1));
    same("N = $n: release()", false, $lease->release());
    same("N = $n: theirs stay", $minority + 1, $members->holding('k', 'theirs'));
}

done();
?>
--EXPECT--
ok
