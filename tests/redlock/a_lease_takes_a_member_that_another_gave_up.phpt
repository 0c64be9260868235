--TEST--
A renewal takes a lease also on a member that had refused it, as soon as the key there is free, so the lease survives the end of another member.
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
$members->servers[2]->cmd('SET', 'k', RedisLock::token(), 'PX',
    (int) (1000 * room(1.6)));
$lock = $members->lock(timeout: room(0.2));
$lease = $lock->lease('k', room(3.0));
$members->hold('two have it', 'k', $lease->token(), [0, 1]);
$members->pause(1);
/* Until the third is free there is no quorum, and no renewal; the proof lasts longer than that. */
eventually('the third has it', fn () => $members->holding('k', $lease->token(), [2]) === 1, 2.0);
same('isHeld()', true, $lease->isHeld());
renewals_go_on('with the third', 3);
same('isHeld()', true, $lease->isHeld());
same('release()', true, $lease->release());
$members->empty('released', [0, 2]);
$members->resume(1);
$members->empty('released everywhere');

done();
?>
--EXPECT--
ok
