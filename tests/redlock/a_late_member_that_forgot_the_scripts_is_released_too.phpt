--TEST--
A member that answers after the quorum and has forgotten the script gets its text, and no key stays there.
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
$lock = $members->lock(timeout: 5.0);
$lock->release('k', $lock->acquire('k'));
$members->empty('at first');
foreach ([0, 1, 2] as $late) {
    $token = $lock->acquire('k', 30);
    $members->hold("member $late", 'k', $token);
    usleep(20_000);
    same("member $late: isLocked()", true, $lock->isLocked('k')); // answers that came late are read
    $members->servers[$late]->cmd('SCRIPT', 'FLUSH');
    $members->pause($late);
    same("member $late: release()", true, $lock->release('k', $token));
    $members->resume($late);
    $members->empty("member $late", null, 2.0);
    $members->flush();
}

done();
?>
--EXPECT--
ok
