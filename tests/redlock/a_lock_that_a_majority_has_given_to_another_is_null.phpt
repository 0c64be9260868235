--TEST--
If another holder has the key on a quorum, acquire() returns null, leaves no key of its own, and does not change the other keys.
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

foreach ([1 => [0], 2 => [0, 1], 3 => [0, 2], 4 => [1, 2, 3], 5 => [0, 1, 4]] as $n => $theirs) {
    $members = start_members($n);
    $members->occupy('k', 'theirs', ...$theirs);
    $rest = array_values(array_diff(range(0, $n - 1), $theirs));
    $lock = $members->lock();
    same("N = $n: acquire()", null, $lock->acquire('k'));
    $members->empty("N = $n: acquire()", $rest);
    same("N = $n: with a token", null, $lock->acquire('k', token: 'mine'));
    $members->empty("N = $n: with a token", $rest);
    same("N = $n: lease()", null, $lock->lease('k'));
    $members->empty("N = $n: lease()", $rest);
    same("N = $n: with a wait", null, $lock->acquire('k', 30, 0.1));
    $members->empty("N = $n: with a wait", $rest);
    same("N = $n: release()", false, $lock->release('k', 'mine'));
    same("N = $n: extend()", false, $lock->extend('k', 'mine', 30));
    same("N = $n: theirs are there", count($theirs), $members->holding('k', 'theirs'));
}

done();
?>
--EXPECT--
ok
