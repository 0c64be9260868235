--TEST--
With maxHold a lease is renewed until then and not longer: the key never has an end beyond it, and then the lease is lost.
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
$lock = new RedisLock($server->dsn());

/* Looked at from outside all the time: when each key would end, counted from before the lease was
 * asked for. */
$unit = room(1.0);
$start = now();
$leases = [
    'held' => $lock->lease('held', 0.4 * $unit, maxHold: 1.1 * $unit),
    'no multiple' => $lock->lease('no multiple', 0.5 * $unit, maxHold: 0.77 * $unit),
    'INF' => $lock->lease('INF', 0.4 * $unit, maxHold: INF),
    'longer ttl' => $lock->lease('longer ttl', 0.9 * $unit, maxHold: 0.3 * $unit),
    'resumed' => $lock->resume('resumed', $lock->acquire('resumed', 0.4 * $unit), 0.4 * $unit,
        maxHold: 0.9 * $unit),
    'not renewed' => $lock->lease('not renewed', 0.6 * $unit, renew: false, maxHold: 5 * $unit),
];
$won = now();
$client = $server->newClient();
$ends = $held = array_fill_keys(array_keys($leases), 0.0);
while (now() < $start + 1.5 * $unit) {
    foreach ($leases as $key => $lease) {
        $before = now();
        $pttl = $client->cmd('PTTL', $key);
        $pttl > 0 && $ends[$key] = max($ends[$key], $before + $pttl / 1000);
        $lease->isHeld() && $held[$key] = $before;
    }
    usleep(2000);
}
/* Between these; a renewal that would win nothing is not sent, and a busy machine comes late. */
foreach (['held' => [0.65, 1.1], 'no multiple' => [0.52, 0.77], 'longer ttl' => [0.8, 0.9],
        'resumed' => [0.5, 0.9], 'not renewed' => [0.5, 0.6]] as $key => [$least, $most]) {
    between("$key: until then it was held", $start + $least * $unit, $won + $most * $unit,
        $held[$key]);
    between("$key: the latest end that the server ever had", $start + $least * $unit,
        $won + $most * $unit + slack(0.1), $ends[$key]);
    same("$key: isHeld()", false, $leases[$key]->isHeld());
    throws("$key: assertHeld()", 'RedisLockLostException', '~was lost~',
        $leases[$key]->assertHeld(...));
}
is_whole('INF is no end', $server, $leases['INF']);
same('lost: those that were watched', 4, lost());
unset($leases, $lease);

/* extend() is asked for by the script itself, and is not cut; renewal does not go beyond it. */
$lease = $lock->lease('k', 0.3 * $unit, maxHold: 0.6 * $unit);
same('extend()', true, $lease->extend(1.2 * $unit));
usleep((int) (800000 * $unit));
is_whole('beyond maxHold', $server, $lease);
until_lost('the end of extend()', $lease, 2.0);
unset($lease);

/* In a section, and reported by onLoss. */
$start = now();
throws('in a section', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function ($lease) use ($start, $unit): void {
    usleep((int) (400000 * $unit));
    check('for longer than the ttl', $lease->isHeld() || now() > $start + 0.55 * $unit);
    usleep((int) (400000 * $unit));
}, 0.3 * $unit, maxHold: 0.7 * $unit));
$start = now();
throws('onLoss', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function (): void {
    for ($until = now() + slack(5.0); now() < $until;) {
    }
}, 0.3 * $unit, maxHold: 0.7 * $unit, onLoss: stop(...)));
between('it comes then', 0.5 * $unit, slack(1.5), now() - $start);
eventually('keys', fn () => $server->keys() === []);

done();
?>
--EXPECT--
ok
