--TEST--
Each delay is multiplied by a random number from 1-jitter to 1+jitter.
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
$lock = new RedisLock($server->dsn(), retryDelay: 0.04, retryMaxDelay: 0.04, jitter: 0.5,
    retries: 25, wake: false);
$monitor = $server->monitor();
undisturbed(0.005, function () use ($lock, $monitor): void {
    $monitor->commands();
    same('acquire()', null, $lock->acquire('k', wait: 60));
    $times = array_column($monitor->commands(), 'time');
    $gaps = array_map(fn ($a, $b) => $b - $a, array_slice($times, 0, -1), array_slice($times, 1));
    same('tries', 25, count($gaps));
    check('none is shorter than half', min($gaps) >= 0.02 * 0.9, $gaps);
    check('some are below the mean', min($gaps) < 0.036, $gaps);
    check('some are above it', max($gaps) > 0.044, $gaps);
    check('the mean is about the delay', array_sum($gaps) / 25 < slack(0.1), $gaps);
});

done();
?>
--EXPECT--
ok
