--TEST--
Re-entrant leases share one renewal, which lasts as long as one of them wants it, and until the earliest of their maxHold.
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

$server = start_server();
$lock = new RedisLock($server->dsn(), reentrant: true);

/* The renewal goes on until the last lease ends. */
$first = $lock->lease('k', 0.6);
$second = $lock->lease('k', 0.6);
same('release() of the outer one', true, $first->release());
stays_held('the inner one', $server, $second, 0.8);
same('release() of the last one', true, $second->release());
same('keys', [], $server->keys());

/* The renewal begins when an inner lease wants it, and ends with that lease. */
same('threads stay', 2, threads());
$outer = $lock->lease('k', 0.6, renew: false);
$before = renewed();
$lock->synchronized('k', function ($inner) use ($server): void {
    stays_held('the inner one', $server, $inner, 0.8);
}, 0.6);
check('it was renewed', renewed() > $before);
until_lost('the outer one', $outer, 1.5);
unset($outer);

/* None of them wants it. */
$outer = $lock->lease('k', 0.4, renew: false);
$inner = $lock->lease('k', 0.4, renew: false);
$before = renewed();
until_lost('without renewal', $outer, 1.0);
same('both', [false, false], [$outer->isHeld(), $inner->isHeld()]);
same('renewals', 0, renewed() - $before);
unset($outer, $inner);

/* The earliest maxHold counts, as long as it is there. */
$pairs = [];
foreach (['a shorter one inside' => [null, 0.5], 'a longer one inside' => [0.7, 60],
        'none inside' => [0.7, null]] as $what => [$of_outer, $of_inner]) {
    $one = $lock->lease($what, 0.4, maxHold: $of_outer);
    $other = $lock->lease($what, 0.4, maxHold: $of_inner);
    $pairs[$what] = [$one, $other];
    same("$what: the same lock", $one->token(), $other->token());
}
$outer = $lock->lease('k', 0.4);
$lock->synchronized('k', fn () => usleep(10_000), 0.4, maxHold: 0.5);
usleep(1_000_000);
foreach ($pairs as $what => [$one, $other]) {
    same("$what: held", [false, false], [$one->isHeld(), $other->isHeld()]);
}
same('one that has gone', true, $outer->isHeld());
unset($pairs, $one, $other, $outer);

/* onLoss is wanted by one of them. */
$outer = $lock->lease('k', 0.6);
throws('onLoss of an inner one', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function () use ($server): void {
    $server->cmd('DEL', 'k');
    for ($until = now() + slack(5.0); now() < $until;) {
    }
    check('not here', false);
}, 0.6, onLoss: stop(...)));
same('the outer one', false, $outer->isHeld());
unset($outer);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
