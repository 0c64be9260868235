--TEST--
With failover_grace a TTL must end with it, less the second for which Sentinels are trusted.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

/* No server listens there, so anything but a ValueError is an exception about the connection. */
$dsn = 'redis-sentinel://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/main';
$lock = new RedisLock("$dsn?failover_grace=20");
$at_most = 'must be at most 18.989 seconds, because of failover_grace in the DSN';
$calls = [
    'acquire' => [2, fn (float $ttl) => $lock->acquire('k', $ttl)],
    'lease' => [2, fn (float $ttl) => $lock->lease('k', $ttl)],
    'resume' => [3, fn (float $ttl) => $lock->resume('k', 'token', $ttl)],
    'synchronized' => [3, fn (float $ttl) => $lock->synchronized('k', fn () => 1, $ttl)],
    'extend' => [3, fn (float $ttl) => $lock->extend('k', 'token', $ttl)],
];
foreach ($calls as $method => [$number, $call]) {
    throws("$method(), too long", ValueError::class,
        "~^RedisLock::$method\(\): Argument #$number \(\\\$ttl\) $at_most\$~",
        fn () => $call(18.99));
    throws("$method(), as long as it may be", RedisLockConnectionException::class,
        '~cannot connect~', fn () => $call(18.989));
}
throws('the default', ValueError::class, "~$at_most~", fn () => $lock->acquire('k'));
throws('of several servers the shortest counts', ValueError::class, '~at most 3.989 seconds~',
    fn () => (new RedisLock(["$dsn?failover_grace=20", "$dsn-2?failover_grace=5"]))
        ->acquire('k', 9));
throws('a greater drift', ValueError::class, '~at most 18.749 seconds~',
    fn () => (new RedisLock("$dsn?failover_grace=20", driftFactor: 0.2))->acquire('k', 19));
throws('without grace', RedisLockConnectionException::class, '~cannot connect~',
    fn () => (new RedisLock($dsn))->acquire('k', 3600));
same('nothing was sent', 0, RedisLock::stats()['blocked_by_grace']);

done();
?>
--EXPECT--
ok
