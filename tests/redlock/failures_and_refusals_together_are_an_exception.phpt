--TEST--
If too few members refuse to decide that the lock is taken, and failures rule out a quorum, the call throws an exception.
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
$members->occupy('k', 'theirs', 1);
$members->kill(2);
$lock = $members->lock();
fails_by('one dead, one refusal', [$members->servers[2]], fn () => $lock->acquire('k'));
$members->empty('one dead, one refusal', [0]);
same('theirs is there', 1, $members->holding('k', 'theirs', [0, 1]));

$members->occupy('k', 'theirs', 0);
same('one dead, two refusals', null, $lock->acquire('k'));

$members = start_members(5);
$members->occupy('k', 'theirs', 0, 1);
$members->pause(2);
$lock = $members->lock(timeout: room(0.3));
$named = [$members->servers[2]];
fails_by('one hung, two refusals of five', $named, fn () => $lock->acquire('k'));
$members->empty('one hung, two refusals of five', [3, 4]);
$members->resume(2);
$members->empty('it goes on', [2, 3, 4]);

done();
?>
--EXPECT--
ok
