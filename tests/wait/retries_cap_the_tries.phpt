--TEST--
retries limits how many times a wait looks again after a delay; with 0 the first try decides.
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
$monitor = $server->monitor();
learn_scripts(new RedisLock($server->dsn()), 'k');

foreach ([0 => 0.0, 1 => 0.008, 5 => 0.248] as $retries => $least) {
    $lock = new RedisLock($server->dsn(), wake: false, retries: $retries);
    $monitor->commands();
    $took = elapsed(fn () => $lock->acquire('k', wait: 20), $result);
    same('acquire()', null, $result);
    $lines = $monitor->lines();
    same("first try with retries: $retries", 'SET k TOKEN NX PX 30000', array_shift($lines));
    same("tries after it with retries: $retries", $retries,
        count(preg_grep('~^EVALSHA SHA 1 k TOKEN~', $lines)));
    same('nothing else', $retries, count($lines));
    check("retries: $retries ends with its last try", $took >= $least && $took < slack(5.0), $took);
}

/* A waiter that queues probes at once; each later look is a probe too, and the last one a try. With
 * retries: 0 it does not queue. */
foreach ([0 => 0.0, 1 => 0.008, 5 => 0.248] as $retries => $least) {
    $lock = new RedisLock($server->dsn(), retries: $retries);
    $before = RedisLock::stats();
    $took = elapsed(fn () => $lock->acquire('k', wait: 20), $result);
    $after = RedisLock::stats();
    same('acquire()', null, $result);
    $seen = fn ($name) => $after[$name] - $before[$name];
    same("probes with retries: $retries", $retries, $seen('probes'));
    same("tries with retries: $retries", $retries === 0 ? 1 : 2, $seen('tries'));
    check("retries: $retries ends with its last look",
        $took >= $least && $took < slack(5.0), $took);
}

$lock = new RedisLock($server->dsn(), retries: 1000000);
$took = elapsed(fn () => $lock->acquire('k', wait: 0.3), $result);
same('acquire()', null, $result);
check('the deadline comes first', $took >= 0.3 && $took < slack(3.0), $took);

done();
?>
--EXPECT--
ok
