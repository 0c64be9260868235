--TEST--
A lease of several servers is renewed on all of them, and stays held with a minority dead or hung.
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
$lock = $members->lock(timeout: room(0.3));
$lease = $lock->lease('k', room(1.0));
$members->hold('at first', 'k', $lease->token());
renewals_go_on('all alive', 2);
$goes_on = function (string $what, array $alive) use ($members, $lease): void {
    for ($until = now() + room(2.0); now() < $until; usleep(5000)) {
        if (!$lease->isHeld() || $members->holding('k', $lease->token(), $alive) < count($alive)) {
            check("$what: it stays held", false, [$lease->isHeld(), $members->values('k', $alive)]);
            return;
        }
    }
    check("$what: it stays held", true);
};
$goes_on('all alive', [0, 1, 2]);
$members->pause(1);
$goes_on('one hangs', [0, 2]);
$members->resume(1);
$members->hold('it goes on', 'k', $lease->token());
$goes_on('all alive again', [0, 2]);
$members->kill(0);
$goes_on('one is dead', [1, 2]);
same('verify()', true, $lease->verify());
same('release()', true, $lease->release());
$members->empty('released', [1, 2]);
same('no lease was lost', 0, lost());

done();
?>
--EXPECT--
ok
