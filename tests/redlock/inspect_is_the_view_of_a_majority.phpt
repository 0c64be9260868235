--TEST--
With several servers inspect() returns the holder that a majority names, and no holder where they differ.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock(label: 'web');
$cron = 'rl1.' . str_repeat('c', 24) . '@cron';
$token = $lock->acquire('k', 60);
$state = $lock->inspect('k');
same('label', 'web', $state->label);
same('isForeign', false, $state->isForeign);
between('remaining', 50, 60, $state->remaining);
$members->occupy('k', $cron, 0);
same('a minority has another holder', 'web', $lock->inspect('k')->label);
$members->occupy('k', $cron, 1);
same('a majority has another holder', 'cron', $lock->inspect('k')->label);
$members->occupy('k', 'x', 1);
$state = $lock->inspect('k');
same('three holders: label', null, $state->label);
same('three holders: isForeign', false, $state->isForeign);
between('three holders: remaining', 50, 60, $state->remaining);
$members->servers[0]->cmd('DEL', 'k');
$members->servers[1]->cmd('DEL', 'k');
same('a minority is locked', null, $lock->inspect('k'));
$members->occupy('k', $cron, 0, 1);
$members->kill(2);
same('one server is dead', 'cron', $lock->inspect('k')->label);
$members->kill(1);
$thrown = throws('two servers are dead', 'RedisLockConnectionException', '~no quorum~',
    fn () => $lock->inspect('k'));
same('getKey()', 'k', $thrown->getKey());

done();
?>
--EXPECT--
ok
