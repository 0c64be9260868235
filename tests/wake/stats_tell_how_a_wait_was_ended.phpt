--TEST--
stats() counts the looks of a wait, its wake-ups, and its spurious wake-ups.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the test counts the connections to one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$of = fn (array $stats, string ...$names) => array_map(fn ($name) => $stats[$name], $names);

/* Woken by a release, with a timeout that is shorter than the wait. */
$unit = room(0.1);
undisturbed(0.05, function () use ($server, $lock, $of, $unit): void {
    $token = hold($server, 'k');
    $waiter = waiter($server->dsn(), 'k', options: ['timeout' => $unit]);
    queued($server, 1);
    usleep((int) (3e6 * $unit));
    same('release()', true, $lock->release('k', $token));
    $result = $waiter->result();
    woken('by a release', $result);
    same('tries, backoffs, connects, reconnects, acquired', [1, 0, 2, 0, 1],
        $of($result['stats'], 'tries', 'backoffs', 'connects', 'reconnects', 'acquired'));
    between('waited', 3 * $unit, $result['took'] + 0.01, $result['stats']['wait_time']['sum']);
});

/* A ticket too many: the lock is taken, and the waiter queues again. */
$token = hold($server, 'k');
$waiter = waiter($server->dsn(), 'k');
queued($server, 1);
$server->cmd('RPUSH', 'k::rl-wake', 1);
eventually('it is back in the queue', fn () => $server->cmd('EXISTS', 'k::rl-wake') === 0);
usleep(50000);
queued($server, 1);
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
matches('token', TOKEN, (string) $result['token']);
same('wake_ups, spurious_wake_ups, wake_failures', [2, 1, 0],
    $of($result['stats'], 'wake_ups', 'spurious_wake_ups', 'wake_failures'));
between('probes, one each 0.85 s', 1, 1 + floor($result['stats']['wait_time']['sum'] / 0.84),
    $result['stats']['probes']);

/* In vain for a foreign lock: each look but the first comes after a delay. */
$server->cmd('SET', 'k', 'somebody else', 'PX', 60000);
$result = waiter($server->dsn(), 'k', ['wait' => room(0.5)])->result();
same('in vain', null, $result['token']);
$stats = $result['stats'];
same('timed_out, tries, wake_ups, wake_failures', [1, 2, 0, 0],
    $of($stats, 'timed_out', 'tries', 'wake_ups', 'wake_failures'));
check('looks', $stats['probes'] >= 4
    && in_array($stats['probes'] - $stats['backoffs'], [0, 1], true), $stats);

done();
?>
--EXPECT--
ok
