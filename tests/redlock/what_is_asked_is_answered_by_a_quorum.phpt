--TEST--
isLocked(), owner() and remaining() return the answer of a quorum.
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
$lock = $members->lock();
$members->occupy('k', 'a', 0);
same('one of three: isLocked()', false, $lock->isLocked('k'));
same('one of three: owner()', null, $lock->owner('k'));
same('one of three: remaining()', null, $lock->remaining('k'));
$members->occupy('k', 'a', 1);
same('two of three: isLocked()', true, $lock->isLocked('k'));
same('two of three: owner()', 'a', $lock->owner('k'));
between('two of three: remaining()', 50, 60, $lock->remaining('k'));
$members->occupy('k', 'b', 1);
same('split: owner()', null, $lock->owner('k'));
$members->occupy('k', 'b', 2);
same('a minority of a: owner()', 'b', $lock->owner('k'));
$members->occupy('k', 'c', 1);
same('three owners: isLocked()', true, $lock->isLocked('k'));
same('three owners: owner()', null, $lock->owner('k'));

/* A lock is there for as long as a quorum has it. */
foreach ([20000, 40000, 60000] as $i => $ms) {
    $members->servers[$i]->cmd('SET', 'k', 'a', 'PX', $ms);
}
between('TTLs that differ: remaining()', 30, 40, $lock->remaining('k'));
$members->servers[2]->cmd('PERSIST', 'k');
between('one without TTL: remaining()', 30, 40, $lock->remaining('k'));
$members->servers[1]->cmd('PERSIST', 'k');
same('two without TTL: remaining()', INF, $lock->remaining('k'));

$members = start_members(4);
$lock = $members->lock();
$members->occupy('k', 'a', 0, 1);
same('two of four: owner()', null, $lock->owner('k'));
$members->occupy('k', 'a', 2);
same('three of four: isLocked()', true, $lock->isLocked('k'));
same('three of four: owner()', 'a', $lock->owner('k'));

done();
?>
--EXPECT--
ok
