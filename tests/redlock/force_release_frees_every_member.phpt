--TEST--
forceRelease() frees the lock on all servers, whichever holder it has there.
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

$members = start_members(5);
$lock = $members->lock();
same('of nothing', false, $lock->forceRelease('k'));
$token = $lock->acquire('k');
$members->hold('ours', 'k', $token);
same('ours', true, $lock->forceRelease('k'));
$members->empty('ours');
same('release()', false, $lock->release('k', $token));

$members->occupy('k', 'a', 0, 1);
$members->occupy('k', 'b', 2, 3);
same('split', true, $lock->forceRelease('k'));
$members->empty('split');

$members->occupy('k', 'a', 0);
$lock->forceRelease('k');
$members->empty('what one has left');

$members->occupy('k', 'a', 0, 1, 2, 3, 4);
$members->pause(1);
same('one hangs', true, $lock->forceRelease('k'));
$members->resume(1);
$members->empty('one hangs');

done();
?>
--EXPECT--
ok
