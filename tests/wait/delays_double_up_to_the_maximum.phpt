--TEST--
The delays between tries double from retryDelay to retryMaxDelay, and the last try is at the deadline.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$server->cmd('SET', 'k', 'somebody');
learn_scripts(new RedisLock($server->dsn(), wake: false), 'k');
$lock = new RedisLock($server->dsn(), jitter: 0, wake: false);
$monitor = $server->monitor();
undisturbed(0.005, function () use ($lock, $monitor): void {
    $monitor->commands();
    $delays = RedisLock::stats()['backoffs'];
    $start = microtime(true);
    same('acquire()', null, $lock->acquire('k', wait: 0.8));
    $commands = $monitor->commands();
    $delays = RedisLock::stats()['backoffs'] - $delays;

    $times = array_column($commands, 'time');
    $gaps = array_map(fn ($a, $b) => $b - $a, array_slice($times, 0, -1), array_slice($times, 1));
    same('every delay is counted', count($gaps), $delays);
    check('not too many tries', count($gaps) <= 8, $gaps);
    check('not too few', count($gaps) >= 3, $gaps);
    $expected = [0.01, 0.02, 0.04, 0.08, 0.16, 0.2, 0.2];
    foreach (array_slice($gaps, 0, -1) as $i => $gap) {
        check("delay $i is at least $expected[$i]", $gap >= $expected[$i] * 0.8, $gaps);
    }
    check('the last try is at the deadline', end($times) - $start >= 0.79, end($times) - $start);
});

done();
?>
--EXPECT--
ok
