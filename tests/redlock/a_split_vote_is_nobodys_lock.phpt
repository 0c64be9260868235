--TEST--
If no client has a quorum, no client has the lock, and the grants are undone.
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

foreach ([2 => [[0], []], 3 => [[0], [1]], 4 => [[0, 1], []], 5 => [[0, 1], [2, 3]]]
        as $n => [$a, $b]) {
    $members = start_members($n);
    $members->occupy('k', 'a', ...$a);
    $members->occupy('k', 'b', ...$b);
    $rest = array_values(array_diff(range(0, $n - 1), $a, $b));
    $lock = $members->lock();
    same("N = $n: acquire()", null, $lock->acquire('k'));
    $members->empty("N = $n: acquire()", $rest);
    same("N = $n: owner()", null, $lock->owner('k'));
    same("N = $n: release() of a", false, $lock->release('k', 'a'));
    same("N = $n: b's are there", count($b), $members->holding('k', 'b'));
    same("N = $n: a's are freed all the same", 0,
        $members->holding('k', 'a', array_slice($a, 0, 1)));
}

done();
?>
--EXPECT--
ok
