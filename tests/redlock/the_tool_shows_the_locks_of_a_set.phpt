--TEST--
redislock top shows the locks that a majority of several servers has, each once.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/members.inc';
skip_without_server();
skip_by_topology('the members are single servers');
?>
--FILE--
<?php
require __DIR__ . '/../inc/members.inc';
require __DIR__ . '/../inc/tool.inc';

$members = start_members(3);
$lock = $members->lock(label: 'web');
$ignored = $lock->acquire('one', 60);
$members->occupy('minority', 'x', 0);
$members->occupy('majority', 'x', 1, 2);
$seen = holders($members->dsns(), '--all');
ksort($seen);
same('locks', ['majority' => null, 'one' => 'web'], $seen);

done();
?>
--EXPECT--
ok
