--TEST--
A wait may be as long as a float can express.
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
$waits = [1e9, 1e10, 9.3e9, 1e18, 1e300, PHP_FLOAT_MAX, PHP_INT_MAX, INF];
$lock = new RedisLock($server->dsn(), retries: 2);
$in_vain = function (string $what, float $wait) use ($lock): void {
    $took = elapsed(fn () => $lock->acquire('k', wait: $wait), $result);
    same("$what with wait $wait", null, $result);
    check('two retries', $took >= 0.02 && $took < slack(3.0), $took);
};
foreach ($waits as $wait) {
    matches("a free lock with wait $wait", TOKEN,
        (string) ($token = $lock->acquire('k', wait: $wait)));
    /* At a lock of ours the wait looks every 0.85 s. */
    $wait === INF && $in_vain('a taken lock', $wait);
    same('release()', true, $lock->release('k', $token));
    /* At any other, after the delays between retries. */
    $server->cmd('SET', 'k', 'another');
    $in_vain('a lock of another client', $wait);
    $server->cmd('DEL', 'k');
}

done();
?>
--EXPECT--
ok
