--TEST--
A wait for a lock that stays taken returns null at its deadline, not before and not much later, and leaves no key.
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
foreach ([[0, 1, 2], [0, 1], [1, 2]] as $theirs) {
    $members->flush();
    $holder = RedisLock::token();
    $members->occupy('k', $holder, ...$theirs);
    $rest = array_values(array_diff([0, 1, 2], $theirs));
    foreach ([true, false] as $wake) {
        $what = 'on ' . implode(',', $theirs) . ($wake ? ', wake' : ', polls');
        $lock = $members->lock(wake: $wake);
        $took = elapsed(fn () => $lock->acquire('k', 30, 0.5), $token);
        same($what, null, $token);
        between("$what: in time", 0.5, 0.5 + slack(1.0), $took);
        $members->empty($what, $rest);
        same("$what: theirs are there", count($theirs), $members->holding('k', $holder));
    }
}
eventually('the helper keys are gone',
    fn () => array_merge(...array_map(fn ($server) => preg_grep('~::rl-~', $server->keys()),
        $members->servers)) === [], 5.0);

done();
?>
--EXPECT--
ok
