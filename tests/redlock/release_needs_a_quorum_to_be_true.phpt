--TEST--
release() returns true when a quorum still had the token and false when a quorum had lost it; it deletes the rest either way.
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

foreach ([1, 2, 3, 4, 5] as $n) {
    $members = start_members($n);
    $quorum = $members->quorum();
    $lock = $members->lock();
    for ($lost = 0; $lost <= $n; $lost++) {
        $token = (string) $lock->acquire('k');
        $members->hold("N = $n", 'k', $token);
        for ($i = 0; $i < $lost; $i++) {
            $members->servers[$i]->cmd('DEL', 'k');
        }
        same("N = $n, $lost lost", $n - $lost >= $quorum, $lock->release('k', $token));
        $members->empty("N = $n, $lost lost");
    }
}

done();
?>
--EXPECT--
ok
