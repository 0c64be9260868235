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
foreach ([1e9, 1e10, 9.3e9, 1e18, 1e300, PHP_FLOAT_MAX, PHP_INT_MAX, INF] as $wait) {
    $lock = new RedisLock($server->dsn(), retries: 2);
    matches("a free lock with wait $wait", TOKEN, (string) ($token = $lock->acquire('k', wait: $wait)));
    $took = elapsed(fn () => $lock->acquire('k', wait: $wait), $result);
    same("a taken lock with wait $wait", null, $result);
    check('two retries', $took >= 0.02 && $took < slack(3.0), $took);
    same('release()', true, $lock->release('k', $token));
}

done();
?>
--EXPECT--
ok
