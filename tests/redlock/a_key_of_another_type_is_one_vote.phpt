--TEST--
A key of another type on one member counts as taken there, and does not change.
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
$members->servers[0]->cmd('RPUSH', 'k', 'x');
$token = $lock->acquire('k');
matches('acquire()', TOKEN, (string) $token);
$members->hold('acquire()', 'k', $token, [1, 2]);
same('owner()', $token, $lock->owner('k'));
same('extend()', true, $lock->extend('k', $token, 60));
same('release()', true, $lock->release('k', $token));
$members->empty('release()', [1, 2]);
same('with a wait', 1, preg_match(TOKEN, (string) $token = $lock->acquire('k', 30, slack(2.0))));
same('release()', true, $lock->release('k', $token));
$members->empty('release()', [1, 2]);
same('the list is there', ['x'], $members->servers[0]->cmd('LRANGE', 'k', 0, -1));

$members->servers[1]->cmd('RPUSH', 'k', 'x');
same('on two members', null, $lock->acquire('k'));
$members->empty('on two members', [2]);

done();
?>
--EXPECT--
ok
