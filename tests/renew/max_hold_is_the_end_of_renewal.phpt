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
$start = now();
$leases = [
    'held' => $lock->lease('held', 0.4, maxHold: 1.1),
    'no multiple' => $lock->lease('no multiple', 0.5, maxHold: 0.77),
    'INF' => $lock->lease('INF', 0.4, maxHold: INF),
    'longer ttl' => $lock->lease('longer ttl', 0.9, maxHold: 0.3),
    'resumed' => $lock->resume('resumed', $lock->acquire('resumed', 0.4), 0.4, maxHold: 0.9),
    'not renewed' => $lock->lease('not renewed', 0.6, renew: false, maxHold: 5),
];
$won = now();
$client = $server->newClient();
$ends = $held = array_fill_keys(array_keys($leases), 0.0);
while (now() < $start + 1.5) {
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
    between("$key: until then it was held", $start + $least, $won + $most, $held[$key]);
    between("$key: the latest end that the server ever had", $start + $least,
        $won + $most + slack(0.1), $ends[$key]);
    same("$key: isHeld()", false, $leases[$key]->isHeld());
    throws("$key: assertHeld()", 'RedisLockLostException', '~was lost~',
        $leases[$key]->assertHeld(...));
}
is_whole('INF is no end', $server, $leases['INF']);
same('lost: those that were watched', 4, lost());
unset($leases, $lease);

/* extend() is asked for by the script itself, and is not cut; renewal does not go beyond it. */
$lease = $lock->lease('k', 0.3, maxHold: 0.6);
same('extend()', true, $lease->extend(1.2));
usleep(800000);
is_whole('beyond maxHold', $server, $lease);
until_lost('the end of extend()', $lease, 2.0);
unset($lease);

/* In a section, and reported by onLoss. */
$start = now();
throws('in a section', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function ($lease) use ($start): void {
    usleep(400000);
    check('for longer than the ttl', $lease->isHeld() || now() > $start + 0.55);
    usleep(400000);
}, 0.3, maxHold: 0.7));
$start = now();
throws('onLoss', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function (): void {
    for ($until = now() + slack(5.0); now() < $until;) {
    }
}, 0.3, maxHold: 0.7, onLoss: stop(...)));
between('it comes then', 0.5, slack(1.5), now() - $start);
eventually('keys', fn () => $server->keys() === []);

done();
?>
--EXPECT--
ok
