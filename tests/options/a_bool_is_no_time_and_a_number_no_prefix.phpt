--TEST--
A bool as a time and a number as the prefix are a TypeError, also without strict_types.
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
$dsn = $server->dsn();
$lock = new RedisLock($dsn);
$lease = $lock->lease('lease');
$floats = [
    'timeout' => fn ($x) => new RedisLock($dsn, timeout: $x),
    'connectTimeout' => fn ($x) => new RedisLock($dsn, connectTimeout: $x),
    'retryDelay' => fn ($x) => new RedisLock($dsn, retryDelay: $x),
    'retryMaxDelay' => fn ($x) => new RedisLock($dsn, retryMaxDelay: $x),
    'jitter' => fn ($x) => new RedisLock($dsn, jitter: $x),
    'outageWait' => fn ($x) => new RedisLock($dsn, outageWait: $x),
    'driftFactor' => fn ($x) => new RedisLock($dsn, driftFactor: $x),
    'acquire() ttl' => fn ($x) => $lock->acquire('k', $x),
    'acquire() wait' => fn ($x) => $lock->acquire('k', 30, $x),
    'extend() ttl' => fn ($x) => $lock->extend('k', 'token', $x),
    'lease() ttl' => fn ($x) => $lock->lease('k', $x),
    'lease() wait' => fn ($x) => $lock->lease('k', 30, $x),
    'lease() maxHold' => fn ($x) => $lock->lease('k', maxHold: $x),
    'resume() ttl' => fn ($x) => $lock->resume('k', 'token', $x),
    'resume() maxHold' => fn ($x) => $lock->resume('k', 'token', maxHold: $x),
    'synchronized() ttl' => fn ($x) => $lock->synchronized('k', fn () => null, $x),
    'synchronized() wait' => fn ($x) => $lock->synchronized('k', fn () => null, 30, $x),
    'synchronized() maxHold' => fn ($x) => $lock->synchronized('k', fn () => null, maxHold: $x),
    'extend() of the lease' => fn ($x) => $lease->extend($x),
];
$monitor = $server->monitor();
foreach ($floats as $what => $call) {
    $name = preg_match('~(\w+)$~', $what, $m) && !str_contains($what, 'of the lease') ? $m[1]
        : 'ttl';
    foreach ([true, false] as $bool) {
        throws("$what: " . show($bool), 'TypeError',
            "~\(\\\$$name\) must be of type \??float, (bool|true|false) given$~",
            fn () => $call($bool));
    }
}
foreach ([6379, 63.79, true, false] as $number) {
    throws('prefix: ' . show($number), 'TypeError',
        '~\(\$prefix\) must be of type \?string, (int|float|bool|true|false) given$~',
        fn () => new RedisLock($dsn, $number));
}
same('nothing was sent', [], $monitor->lines());

/* A string of digits may be a prefix, and so may an object with __toString(). */
matches('a string of digits', TOKEN, (string) (new RedisLock($dsn, '6379'))->acquire(':k'));
$object = new class {
    public function __toString(): string
    {
        return 'object';
    }
};
matches('an object', TOKEN, (string) (new RedisLock($dsn, $object))->acquire(':k'));
check('prefixes', array_diff(['0:6379:k', '0:object:k'], $server->keys()) === [], $server->keys());

/* The same under strict_types. */
$code =
    'declare(strict_types=1); try { %s; echo "no exception"; } catch (TypeError $e) { echo $e->getMessage(); }';
foreach (['new RedisLock($argv[1], 6379)', '(new RedisLock($argv[1]))->acquire("k", 30, true)',
        '(new RedisLock($argv[1]))->lease("k", maxHold: false)'] as $call) {
    matches("strict: $call", '~must be of type .*, (int|bool|true|false) given~',
        run_php(sprintf($code, $call), [$dsn]));
}

done();
?>
--EXPECT--
ok
