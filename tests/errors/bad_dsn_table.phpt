--TEST--
Every bad DSN is a ValueError with the reason, without connecting and without the secrets of the DSN.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$rows = [
    /* what is not a DSN */
    ['', '~empty~i'],
    [' ', '~.~'],
    ['localhost', '~scheme|://~i'],
    ['localhost:6379', '~scheme|://~i'],
    ['127.0.0.1:6379', '~scheme|://~i'],
    ['/run/redis.sock', '~scheme|://|unix:~i'],
    ['://host', '~scheme~i'],
    ['redis:host', '~scheme|://~i'],
    ['redis:/host', '~scheme|://~i'],
    ['http://host', '~scheme~'],
    ['rediss3://host', '~scheme~'],
    [' redis://host', '~scheme|space|redis~i'],
    ['redis ://host', '~scheme|space~i'],

    /* clusters */
    ['redis-cluster://', '~hosts are missing~'],
    ['redis-cluster:///run/redis.sock', '~hosts are missing.*socket~'],
    ['redis-cluster://user:S3CRET@', '~hosts are missing~'],
    ['redis-cluster://a,', '~host in the list is missing~'],
    ['redis-cluster://a,,b', '~host in the list is missing~'],
    ['redis-cluster://a:6379,A', '~given twice~'],
    ['redis-cluster://a:7000,b:x', '~port~'],
    ['redis-cluster://user:S3CRET@a,user:S3CRET@b', "~more than one '@'~"],
    ['redis-cluster://user:1/S3CRET@a', '~database~'],
    ['redis-cluster://a,redis://b', '~another DSN.*pass an array~'],
    ['redis-cluster://a/x', '~database~'],
    ['redis-cluster://a?sentinel_quorum=1', '~sentinel_quorum is for redis-sentinel://~'],
    ['redis-cluster://a?ssl[cafile]=/ca', '~use rediss-cluster://~'],
    ['redis-cluster://' . implode(',', array_map(fn ($i) => "h$i", range(1, 17))), '~16 nodes~'],
    ['redis+cluster://a', '~scheme redis\+cluster:// is unknown~'],

    /* Sentinels */
    ['redis-sentinel://a:26379,b:26379', '~master name is missing~'],
    ['redis-sentinel:///run/redis.sock', '~hosts are missing.*socket~'],
    ['redis-sentinel://a,a:26379/main', '~given twice~'],
    ['redis-sentinel://user:1/S3CRET@a/main', '~master name has a character~'],
    ['redis-sentinel://a/main/x', '~database~'],
    ['redis-sentinel://a/main?sentinel_quorum=0', '~from 1 to 1, the number of Sentinels~'],
    ['redis-sentinel://a,b/main?sentinel_quorum=3', '~from 1 to 2, the number of Sentinels~'],
    ['redis-sentinel://a/main?sentinel_tls=S3CRET', '~sentinel_tls must be 0 or 1~'],
    ['redis-sentinel://a/main?sentinel_check=on', '~sentinel_check must be 0 or 1~'],
    ['redis-sentinel://a/main?failover_grace=1', '~from 2 to 3600~'],
    ['redis-sentinel://a,b/main?failover_grace=9&sentinel_quorum=1', '~at least 2~'],
    ['redis-sentinel://a/main?failover_grace=9&sentinel_check=0', '~needs sentinel_check=1~'],
    ['redis-sentinel://a/main?sentinel_user=x', '~sentinel_user needs sentinel_password~'],
    ['redis-sentinel://a/main?sentinel_password=S3CRET&sentinel_password=S3CRET', '~twice~'],
    ['redis-sentinel://a/main?sentinel_password=S3CRET@x', "~'@' after~"],
    ['redis-sentinel://a/main?ssl[cafile]=/ca', '~rediss-sentinel:// or sentinel_tls=1~'],
    ['redis-sentinel://a,b,c,d,e,f,g,h/main', '~7 Sentinels~'],
    ['redis-sentinel://a/main?replicas=1&replicas_timeout=0.6', '~half of the timeout~'],

    /* several servers */
    ['redis://a redis://b', '~.~'],
    ['redis://a:6379,b:6379', '~pass an array~'],
    ['redis://a,b', '~pass an array~'],
    ['redis://a,redis://b', '~pass an array~'],
    ['redis://a:6379,redis://b:6379', '~pass an array~'],
    ['redis://a/0,redis://b/0', '~pass an array~'],
    ['redis://a?db=1,valkey://b?db=1', '~pass an array~'],
    ['redis://:S3CRET@a,redis://:S3CRET@b', '~pass an array~'],
    ['unix:///run/a.sock,unix:///run/b.sock', '~pass an array~'],
    ['redis://a,redis-cluster://b', '~pass an array~'],
    ['redis://a,b', '~for a cluster use redis-cluster://~'],
    ['redis://[::1]:6379,[::2]:6379', '~pass an array~'],
    [['redis://a', 'redis://a'], '~twice~'],
    [['redis://a', 'http://b'], '~scheme~'],
    [array_map(fn ($i) => "redis://host$i", range(1, 16)), '~15~'],

    /* arrays */
    [[], '~empty|DSN~i'],
    [[''], '~empty~i'],
    [[1], '~string~i', 'TypeError|ValueError'],
    [[null], '~string~i', 'TypeError|ValueError'],
    [[['redis://a']], '~string~i', 'TypeError|ValueError'],
    [new stdClass(), '~string~', 'TypeError'],

    /* hosts and ports */
    ['redis://', '~host~i'],
    ['redis://:6379', '~host~i'],
    ['redis://user:S3CRET@', '~host~i'],
    ['redis://user:S3CRET@:6379', '~host~i'],
    ['redis://?db=1', '~host~i'],
    ['redis://host:', '~port~i', 'ValueError|'],
    ['redis://host:0', '~port~i'],
    ['redis://host:65536', '~port~i'],
    ['redis://host:99999999999999999999', '~port~i'],
    ['redis://host:-1', '~port~i'],
    ['redis://host:+1', '~port~i'],
    ['redis://host:abc', '~port~i'],
    ['redis://host:6379x', '~port~i'],
    ['redis://host: 6379', '~port|space~i'],
    ['redis://a b', '~host|space|character~i'],
    ["redis://ho\tst", '~host|control|space|character~i'],
    ["redis://ho\0st", '~host|NUL|null|byte|control|character~i'],
    ["redis://host\n", '~host|line|control|space|character~i'],
    ['redis://ho%00st', '~%00|host|NUL|null|byte|control|character~i'],
    ['redis://' . str_repeat('h', 300), '~host|long~i'],
    ['redis://::1:6379', '~\[|bracket|IPv6|port~i'],
    ['redis://[::1', '~\]|bracket|IPv6~i'],
    ['redis://[::1]6379', '~\]|port|bracket|IPv6~i'],
    ['redis://[]:6379', '~host|IPv6|bracket~i'],
    ['redis://[nonsense]:6379', '~IPv6|bracket|host~i'],

    /* credentials */
    ['redis://S3CRET@host', '~:.*@~'],
    ['unix://S3CRET@/run/redis.sock', '~:.*@~'],
    ['redis://user:S3CRET%zz@host', '~%|percent~i'],
    ['redis://user:S3CRET%4@host', '~%|percent~i'],
    ['redis://user:S3CRET%@host', '~%|percent~i'],

    /* databases */
    ['redis://host/abc', '~db|database~i'],
    ['redis://host/-1', '~db|database~i'],
    ['redis://host/1/2', '~db|database~i'],
    ['redis://host/1x', '~db|database~i'],
    ['redis://host/99999999999', '~db|database~i'],
    ['redis://host?db=abc', '~db|database~i'],
    ['redis://host?db=', '~db|database~i'],
    ['redis://host?db=-1', '~db|database~i'],
    ['redis://host/1?db=2', '~db|database~i'],
    ['redis://host?db=1&db=2', '~db|twice~i'],

    /* options */
    ['redis://host?bogus=1', '~option~'],
    ['redis://host?Timeout=1', '~option~'],
    ['redis://host?timeout', '~option~'],
    ['redis://host?timeout=', '~timeout~'],
    ['redis://host?timeout=abc', '~timeout~'],
    ['redis://host?timeout=1s', '~timeout~'],
    ['redis://host?timeout=0', '~timeout.*(0\.001|3600)|timeout~'],
    ['redis://host?timeout=-1', '~timeout~'],
    ['redis://host?timeout=3601', '~timeout~'],
    ['redis://host?timeout=nan', '~timeout~'],
    ['redis://host?timeout=inf', '~timeout~'],
    ['redis://host?timeout=0x10', '~timeout~'],
    ['redis://host?timeout=1&timeout=2', '~timeout|twice~'],
    ['redis://host?replicas=', '~replicas.*0 to 100~'],
    ['redis://host?replicas=101', '~replicas.*0 to 100~'],
    ['redis://host?replicas=-1', '~replicas.*0 to 100~'],
    ['redis://host?replicas=all', '~replicas.*0 to 100~'],
    ['redis://host?replicas=1&replicas=1', '~replicas.*twice~'],
    ['redis://host?replicas=1&replicas_timeout=0', '~replicas_timeout.*0\.001~'],
    ['redis://host?replicas=1&replicas_timeout=x', '~replicas_timeout.*0\.001~'],
    ['redis://host?replicas=1&replicas_timeout=0.6',
        '~replicas_timeout must be half of the timeout at most, 0\.5 s~'],
    ['redis://host?timeout=0.1&replicas=1&replicas_timeout=0.051',
        '~replicas_timeout must be half.*0\.05 s~'],
    ['redis://host?connect_timeout=0', '~connect_timeout~'],
    ['redis://host?connect_timeout=1e9', '~connect_timeout~'],
    ['redis://host?sentinel_user=x', '~sentinel_user is for redis-sentinel://~'],
    ['redis://host?sentinel_password=S3CRET', '~sentinel_password is for redis-sentinel://~'],
    ['unix:///run/redis.sock?sentinel_tls=1', '~sentinel_tls is for redis-sentinel://~'],
    ['redis://host#fragment', '~#|fragment|host~i'],

    /* unix sockets */
    ['unix://', '~path~i'],
    ['unix://relative/path', '~path|absolute|/~i'],
    ['unix:///', '~path|file~i', 'ValueError|'],
    ['unix:///' . str_repeat('p', 108), '~path|long|107|108~i'],
    ["unix:///run/re\0dis.sock", '~path|NUL|null|byte|control|character~i'],
    ['unix:///run/re%00dis.sock', '~%00|path|NUL|null|byte|control|character~i'],
    ['unix:///run/redis.sock?bogus=1', '~option~'],
    ['unix:///run/redis.sock?db=x', '~db|database~i'],
    ['redis://host:6379?' . str_repeat('x', 100000), '~.~'],
    ['redis://' . str_repeat('%41', 100000), '~.~'],
];
foreach ($rows as $row) {
    [$servers, $message] = $row;
    $classes = explode('|', $row[2] ?? 'ValueError');
    $what = show($servers);
    try {
        $took = elapsed(fn () => new RedisLock($servers));
        check("$what: an exception", in_array('', $classes, true));
    } catch (Error $thrown) {
        check("$what: class", in_array($thrown::class, $classes, true), $thrown);
        matches("$what: message", $message, $thrown->getMessage());
        matches("$what: names the argument", '~\(\$servers\)|redislock\.servers~',
            $thrown->getMessage());
        check("$what: no secret", !str_contains($thrown->getMessage(), 'S3CRET'),
            $thrown->getMessage());
        check("$what: short", strlen($thrown->getMessage()) < 600, strlen($thrown->getMessage()));
        check("$what: printable", preg_match('~^[\x20-\x7e]+$~D', $thrown->getMessage()) === 1,
            $thrown->getMessage());
    }
}

/* The same from INI: the message names the setting. */
foreach (['http://host', 'redis://host:0', 'redis://a redis://a', 'redis://S3CRET@host']
        as $servers) {
    $seen =
        run_php(
            'try { new RedisLock(); echo "no exception"; } catch (ValueError $e) { echo $e->getMessage(); }',
            [], ['redislock.servers' => $servers]);
    matches("redislock.servers=$servers", '~redislock\.servers~', $seen);
    check('no secret', !str_contains($seen, 'S3CRET'), $seen);
}
check('rows', count($rows) >= 80, count($rows));
echo count($rows), " rows\n";

done();
?>
--EXPECTREGEX--
\d+ rows
ok
