--TEST--
Keys of another holder on a minority of the servers do not prevent the lock, and do not change.
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

foreach ([3 => [0], 4 => [2], 5 => [0, 1]] as $n => $theirs) {
    $members = start_members($n);
    $members->occupy('k', 'theirs', ...$theirs);
    $rest = array_values(array_diff(range(0, $n - 1), $theirs));
    $lock = $members->lock();
    $token = $lock->acquire('k');
    matches("N = $n: token", TOKEN, (string) $token);
    $members->hold("N = $n", 'k', $token, $rest);
    same("N = $n: owner()", $token, $lock->owner('k'));
    same("N = $n: extend()", true, $lock->extend('k', $token, 60));
    same("N = $n: release()", true, $lock->release('k', $token));
    $members->empty("N = $n", $rest);
    same("N = $n: theirs are there", count($theirs), $members->holding('k', 'theirs'));
}

done();
?>
--EXPECT--
ok
