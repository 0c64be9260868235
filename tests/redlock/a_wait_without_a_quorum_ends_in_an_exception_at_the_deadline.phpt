--TEST--
While too few servers answer, a wait continues until its deadline; if they come back in time it gets the lock.
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
require_once __DIR__ . '/../inc/waiter.inc';

$members = start_members(3);
$members->kill(0, 1);
$lock = $members->lock();
$took =
    elapsed(fn () => fails_by('none comes back', [$members->servers[0], $members->servers[1]],
        fn () => $lock->acquire('k', 30, 0.5)));
between('none comes back: in time', 0.5, 0.5 + slack(1.0), $took);
$members->empty('none comes back', [2]);
$waiter = waiter($members->dsns(), 'k', ['wait' => slack(10.0)]);
usleep((int) (1e6 * room(0.2)));
$members->start(0);
$result = $waiter->result();
matches('one comes back', TOKEN, (string) ($result['token'] ?? $result['error']));
same('release()', true, $lock->release('k', (string) $result['token']));
$members->empty('at the end', [0, 2]);

done();
?>
--EXPECT--
ok
