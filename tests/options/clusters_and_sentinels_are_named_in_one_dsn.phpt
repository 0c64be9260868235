--TEST--
The nodes of a cluster and Sentinels are listed in one DSN, in every spelling, from every source, and dumps show it without its secrets.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';

function shown(RedisLock $lock): string
{
    ob_start();
    var_dump($lock);
    print_r($lock);
    return ob_get_clean();
}

$rows = [
    'redis-cluster://a' => 'redis-cluster://a:6379',
    'valkey-cluster://user:S3CRET@a:7000,b:7001,[::1]/2?timeout=0.5&replicas=1' =>
        'redis-cluster://a:7000,b:7001,[::1]:6379/2',
    'rediss-cluster://:S3CRET@a,b?ssl[verify_peer]=1' => 'rediss-cluster://a:6379,b:6379',
    'valkeys-cluster://a' => 'rediss-cluster://a:6379',
    'redis-sentinel://a,b:1/main' => 'redis-sentinel://a:26379,b:1/main',
    'redis+sentinel://:S3CRET@a/main/3?sentinel_user=S3CRET&sentinel_password=S3CRET' =>
        'redis-sentinel://a:26379/main/3',
    'valkey-sentinel://a/main?db=1&sentinel_quorum=1&sentinel_check=0' =>
        'redis-sentinel://a:26379/main/1',
    'valkey+sentinel://a/main?sentinel_tls=1' => 'redis-sentinel://a:26379/main',
    'rediss-sentinel://a/main?sentinel_tls=0' => 'rediss-sentinel://a:26379/main',
    'rediss+sentinel://a/main' => 'rediss-sentinel://a:26379/main',
    'valkeys-sentinel://a/main' => 'rediss-sentinel://a:26379/main',
    'valkeys+sentinel://a/main' => 'rediss-sentinel://a:26379/main',
];
if (!extension_has_tls()) {
    $speaks_tls = fn (string $dsn) => preg_match('~^(rediss|valkeys)[-+]|tls=1~', $dsn) === 1;
    $rows = array_filter($rows, fn (string $dsn) => !$speaks_tls($dsn), ARRAY_FILTER_USE_KEY);
}
foreach ($rows as $dsn => $name) {
    foreach ([true, false] as $persistent) {
        $lock = new RedisLock($dsn, persistent: $persistent);
        $seen = shown($lock);
        check("$dsn: its name", substr_count($seen, $name) === 2, $seen);
        check("$dsn: no secret", !str_contains($seen, 'S3CRET'), $seen);
        $lock->close();
        /* With the same DSN the two share what they learn. */
        $other = new RedisLock([$dsn], persistent: $persistent);
        unset($lock);
        check("$dsn: again", str_contains(shown($other), $name));
    }
}

/* A list has all kinds, and the INI setting as well. */
$list = ['redis://a', 'redis-cluster://:S3CRET@b:1,b:2', 'redis-sentinel://c,d/main'];
$names = '~redis://a:6379.*redis-cluster://b:1,b:2.*redis-sentinel://c:26379,d:26379/main~s';
matches('an array', $names, shown(new RedisLock($list)));
ini_set('redislock.servers', implode(' ', $list));
matches('INI', $names, shown(new RedisLock()));
ini_set('redislock.servers', $list[1]);
matches('INI, one DSN', '~redis-cluster://b:1,b:2"~', shown(new RedisLock()));
$seen = run_php('phpinfo(INFO_MODULES);', [],
    ['redislock.servers' => implode(' ', $list) . '?sentinel_password=S3CRET']);
matches('phpinfo()', '~^redislock\.servers => redis://a:6379 redis-cluster://b:1,b:2 '
    . 'redis-sentinel://c:26379,d:26379/main =>~m', $seen);
check('phpinfo(): no secret', !str_contains($seen, 'S3CRET'), $seen);

/* The dump shows options that TLS leaves unverified, also where Sentinels alone speak TLS. */
if (extension_has_tls()) {
    foreach (['rediss-cluster://a,b', 'redis-sentinel://a,b/main?sentinel_tls=1'] as $dsn) {
        $lock = new RedisLock($dsn, tls: ['verify_peer_name' => false]);
        matches("$dsn: unverified", '~"unverified".*: verify_peer_name is off"~s', shown($lock));
    }
    throws('a file that is not there', 'ValueError', '~^rediss-cluster://a:6379: .*nowhere~',
        fn () => new RedisLock('rediss-cluster://a', tls: ['cafile' => '/nowhere/ca.pem']));
    throws('for Sentinels', 'ValueError', '~^redis-sentinel://a:26379/main: .*nowhere~',
        fn () => new RedisLock('redis-sentinel://a/main?sentinel_tls=1',
            tls: ['cafile' => '/nowhere/ca.pem']));
}
throws('nobody speaks TLS', 'ValueError', '~no server uses TLS~',
    fn () => new RedisLock('redis-cluster://a', tls: ['verify_peer' => true]));

done();
?>
--EXPECT--
ok
