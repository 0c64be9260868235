--TEST--
redislock.max_hold is an upper limit for maxHold and can change at any time; the smaller of both counts.
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
same('default', '0', ini_get('redislock.max_hold'));

/* The setting at the time when the lease is made applies to it. */
$leases = [];
$unit = (int) ceil(room(1.0));
$make = function (string $what, ?float $expected, string $ini, array $args) use ($lock,
        $unit, &$leases): void {
    ini_set('redislock.max_hold', $ini);
    $leases[$what] = [now(), $expected, $lock->lease($what, 0.3 * $unit, ...$args), now()];
};
$make('the ceiling alone', 0.6 * $unit, (string) (0.6 * $unit), []);
$make('a longer argument', 0.6 * $unit, (string) (0.6 * $unit), ['maxHold' => 60]);
$make('INF', 0.6 * $unit, (string) (0.6 * $unit), ['maxHold' => INF]);
$make('a shorter argument', 0.6 * $unit, '3600', ['maxHold' => 0.6 * $unit]);
$make('an integer', $unit, (string) $unit, ['maxHold' => null]);
$make('no ceiling', null, '0', []);
$make('a ceiling that is far away', null, '1e9', []);
ini_set('redislock.max_hold', '0');
$held = array_fill_keys(array_keys($leases), 0.0);
for ($until = now() + 1.4 * $unit; now() < $until; usleep(2000)) {
    foreach ($leases as $what => [$since, , $lease]) {
        $before = now() - $since;
        $lease->isHeld() && $held[$what] = $before;
    }
}
foreach ($leases as $what => [$since, $expected, $lease, $won]) {
    if ($expected === null) {
        is_whole($what, $server, $lease);
    } else {
        between("$what: held for so long", max(0.31 * $unit, $expected - 0.4 * $unit),
            $won - $since + $expected + 0.05, $held[$what]);
    }
}
unset($leases, $lease);

/* From php.ini, with a section, and with a token taken over. */
$child = run_php('
    [, $server, $unit] = $argv;
    $lock = new RedisLock($server);
    foreach (["lease", "synchronized", "resume"] as $how) {
        $until = null;
        $work = function ($lease) use (&$until, $unit) {
            $start = hrtime(true);
            while ($lease->isHeld() && hrtime(true) < $start + 3e9 * $unit) { usleep(2000); }
            $until = (hrtime(true) - $start) / 1e9;
        };
        try {
            match ($how) {
                "lease" => $work($lock->lease("k", 0.2 * $unit)),
                "synchronized" => $lock->synchronized("k", $work, 0.2 * $unit),
                "resume" => $work($lock->resume("k", $lock->acquire("k"), 0.2 * $unit)),
            };
        } catch (RedisLockLostException) {
        }
        $lock->forceRelease("k");
        echo $until > 0.25 * $unit && $until < 2.0 * $unit ? "ok " : $until;
    }', [$server->dsn(), $unit], ['redislock.max_hold' => (string) (0.5 * $unit)]);
same('from php.ini', 'ok ok ok ', $child);

done();
?>
--EXPECT--
ok
