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
$unit = room(0.1);

/* The renewal goes on until the last lease ends. */
$first = $lock->lease('k', 6 * $unit);
$second = $lock->lease('k', 6 * $unit);
same('release() of the outer one', true, $first->release());
stays_held('the inner one', $server, $second, 8 * $unit);
same('release() of the last one', true, $second->release());
same('keys', [], $server->keys());

/* The renewal begins when an inner lease wants it, and ends with that lease. */
same('threads stay', 2, threads());
$outer = $lock->lease('k', 6 * $unit, renew: false);
$before = renewed();
$lock->synchronized('k', function ($inner) use ($server, $unit): void {
    stays_held('the inner one', $server, $inner, 8 * $unit);
}, 6 * $unit);
check('it was renewed', renewed() > $before);
until_lost('the outer one', $outer, 1.5);
unset($outer);

/* None of them wants it. */
$outer = $lock->lease('k', 4 * $unit, renew: false);
$inner = $lock->lease('k', 4 * $unit, renew: false);
$before = renewed();
until_lost('without renewal', $outer, 1.0);
same('both', [false, false], [$outer->isHeld(), $inner->isHeld()]);
same('renewals', 0, renewed() - $before);
unset($outer, $inner);

/* Sections that are entered again and again do not prolong it beyond maxHold. */
$outer = $lock->lease('again', 4 * $unit, maxHold: 6 * $unit);
for ($until = now() + 6 * $unit + slack(4 * $unit); $outer->isHeld() && now() < $until;) {
    try {
        $lock->synchronized('again', fn () => usleep((int) (0.2e6 * $unit)), 4 * $unit);
    } catch (RedisLockLostException) {
        // The lock has ended within the section.
    }
}
same('entered again: held', false, $outer->isHeld());
same('entered again: why', RedisLockLoss::MaxHold, $outer->loss());
unset($outer);

/* The earliest maxHold counts, as long as it is there. */
$pairs = [];
foreach (['a shorter one inside' => [null, 5 * $unit],
        'a longer one inside' => [7 * $unit, 60], 'none inside' => [7 * $unit, null]]
        as $what => [$of_outer, $of_inner]) {
    $one = $lock->lease($what, 4 * $unit, maxHold: $of_outer);
    $other = $lock->lease($what, 4 * $unit, maxHold: $of_inner);
    $pairs[$what] = [$one, $other];
    same("$what: the same lock", $one->token(), $other->token());
}
$outer = $lock->lease('k', 4 * $unit);
$lock->synchronized('k', fn () => usleep(10_000), 4 * $unit, maxHold: 5 * $unit);
usleep((int) (10e6 * $unit));
foreach ($pairs as $what => [$one, $other]) {
    same("$what: held", [false, false], [$one->isHeld(), $other->isHeld()]);
}
same('one that has gone', true, $outer->isHeld());
unset($pairs, $one, $other, $outer);

/* onLoss is wanted by one of them. */
$outer = $lock->lease('k', 6 * $unit);
throws('onLoss of an inner one', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function () use ($server): void {
    $server->cmd('DEL', 'k');
    for ($until = now() + slack(5.0); now() < $until;) {
    }
    check('not here', false);
}, 6 * $unit, onLoss: stop(...)));
same('the outer one', false, $outer->isHeld());
unset($outer);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
