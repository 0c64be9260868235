--TEST--
On several servers each key has a majority of its own; with one server stopped, leases of several keys are taken, renewed and freed.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';
require __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock();
$lease = $lock->lease(['a', 'b', 'c'], room(2.0));
foreach (['a', 'b', 'c'] as $key) {
    eventually("all have \"$key\"",
        fn () => count(array_filter($members->values($key))) === 3, 5.0);
}
$members->pause(1);
renewals_go_on('with two of them', 6, 20.0);
same('isHeld()', true, $lease->isHeld());
same('release()', true, $lease->release());
$second = $lock->lease(['c', 'd'], room(2.0), wait: slack(5.0));
same('taken from two of them', true, $second->isHeld());
$members->occupy('b', 'somebody', 0, 2);
same('one is taken', null, $lock->lease(['a', 'b', 'c2'], room(2.0)));
unset($second);
$members->resume(1);
foreach (['a', 'c', 'd', 'c2'] as $key) {
    eventually("\"$key\" is free", fn () => array_filter($members->values($key)) === [], 15.0);
}

/* The release of a lease that is held, where a majority is gone. */
$lease = $lock->lease(['e', 'f'], 60, wait: slack(5.0));
eventually('the third has both',
    fn () => present($members->servers[2], 'e', 'f') === 2, 5.0);
$members->kill(0, 1);
same('freed where it can be', true, $lease->release());
same('the third server', 0, present($members->servers[2], 'e', 'f'));

done();
?>
--EXPECT--
ok
