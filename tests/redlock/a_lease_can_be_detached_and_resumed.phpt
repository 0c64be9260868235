--TEST--
detach() gives the lock up on all servers, and resume() takes it over where a quorum has it.
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
$token = $lock->lease('k', 60)->detach();
$members->hold('detached', 'k', $token);
$members->servers[0]->cmd('DEL', 'k');
$lease = $lock->resume('k', $token, 60);
check('resumed by a quorum', $lease !== null && $lease->isHeld());
same('verify()', true, $lease?->verify());
$token = $lease->detach();
$members->servers[1]->cmd('DEL', 'k');
if ($members->holding('k', $token) > 1) { // the member that lost it may have got it back
    $members->servers[0]->cmd('DEL', 'k');
}
$left = array_filter($members->values('k'), fn ($value) => $value === $token);
same('a quorum has lost it', null, $lock->resume('k', $token, 60));
eventually('what was swapped is swapped back',
    fn () => $members->holding('k', $token) === count($left));
check('with its TTL', $members->servers[array_key_first($left)]->cmd('PTTL', 'k') > 1000);
$members->flush();

done();
?>
--EXPECT--
ok
