--TEST--
A member that comes back without its data gets a renewed lease's token again, and is released at the end.
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
require_once __DIR__ . '/../inc/renew.inc';

$members = start_members(3);
$lock = $members->lock();
$ttl = room(1.5);
$lease = $lock->lease('k', $ttl);
$members->hold('at first', 'k', $lease->token());
$members->servers[1]->cmd('SET', 'data', 'x');
$members->kill(1);
renewals_go_on('one is dead', 2);
$members->start(1);
same('it is empty', null, $members->servers[1]->cmd('GET', 'data'));
$members->hold('it has the token back', 'k', $lease->token());
between('with a TTL', 1, 1000 * $ttl, $members->servers[1]->cmd('PTTL', 'k'));
same('isHeld()', true, $lease->isHeld());

/* A key of another holder there does not change. */
$members->servers[2]->restart();
$members->occupy('k', 'theirs', 2);
renewals_go_on('one is another\'s', 3);
same('theirs stays', ['theirs'], $members->values('k', [2]));
same('isHeld()', true, $lease->isHeld());
same('release()', true, $lease->release());
$members->empty('released', [0, 1]);
same('theirs stays', ['theirs'], $members->values('k', [2]));

done();
?>
--EXPECT--
ok
