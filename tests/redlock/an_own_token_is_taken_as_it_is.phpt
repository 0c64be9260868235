--TEST--
A caller's own token is set on all members, and a second call with it is refused and frees nothing.
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
same('acquire()', 'mine', $lock->acquire('k', 30, token: 'mine'));
$members->hold('acquire()', 'k', 'mine');
same('again', null, $lock->acquire('k', 30, token: 'mine'));
same('again, with a wait', null, $lock->acquire('k', 30, 0.1, token: 'mine'));
$members->hold('after that', 'k', 'mine');
same('release()', true, $lock->release('k', 'mine'));
$members->empty('release()');

/* On one member another holder has the lock. */
$members->occupy('k', 'theirs', 2);
same('one refuses', 'mine', $lock->acquire('k', 30, token: 'mine'));
$members->hold('one refuses', 'k', 'mine', [0, 1]);
same('release()', true, $lock->release('k', 'mine'));

/* With two it is not ours; what was granted is undone. */
$members->occupy('k', 'theirs', 1);
same('two refuse', null, $lock->acquire('k', 30, token: 'mine'));
$members->empty('two refuse', [0]);
same('theirs are there', 2, $members->holding('k', 'theirs'));

done();
?>
--EXPECT--
ok
