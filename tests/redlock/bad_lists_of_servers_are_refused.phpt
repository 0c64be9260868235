--TEST--
A server that is named twice, more than 15 servers, and a bad DSN are a ValueError with the reason, before any traffic.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

$rows = [
    'twice' => [['redis://a', 'redis://b', 'redis://a'], '~twice~'],
    'twice, with its port' => [['redis://a', 'redis://a:6379'], '~twice~'],
    'twice, in another spelling' => [['redis://a', 'valkey://a'], '~twice~'],
    'twice, by socket' => [['unix:///s', 'redis:///s'], '~twice~'],
    'sixteen' => [array_map(fn ($i) => "redis://host$i", range(1, 16)), '~15~'],
    'one is empty' => [['redis://a', ''], '~empty~'],
    'one is no DSN' => [['redis://a', 'b'], '~scheme|://~'],
    'a cluster twice, by one node' => [['redis-cluster://:S3CRET@a:1,b:2', 'redis://c',
        'rediss-cluster://d:3,b:2'], '~\(server 3\).*cluster is given twice~'],
    'a node of a cluster' => [['redis-cluster://a:1,b:2', 'redis://b:2'],
        '~server is given twice, once as a node~'],
    'a node of a cluster, and then the cluster' => [['redis://b:2', 'redis-cluster://a:1,b:2'],
        '~server is given twice, once as a node~'],
    'a primary twice, by one Sentinel' => [['redis-sentinel://a,b/main',
        'redis+sentinel://b,c/main/1'], '~primary is given twice~'],
    'with a password' => [['redis://:S3CRET@a', 'redis://:S3CRET@a'], '~twice~'],
];
foreach ($rows as $what => [$servers, $message]) {
    $thrown = throws($what, 'ValueError', $message, fn () => new RedisLock($servers));
    matches("$what: names the argument", '~\(\$servers\)~', (string) $thrown?->getMessage());
    check("$what: no secret", !str_contains((string) $thrown?->getMessage(), 'S3CRET'),
        $thrown?->getMessage());
}
throws('one is no string', 'TypeError', '~string~', fn () => new RedisLock(['redis://a', 1]));
check('fifteen',
    new RedisLock(array_map(fn ($i) => "redis://host$i", range(1, 15))) instanceof RedisLock);
$kinds = ['redis://a', 'redis-cluster://b,c', 'redis-sentinel://d/main'];
check('one of each kind', new RedisLock($kinds) instanceof RedisLock);
check('other clusters', new RedisLock(['redis-cluster://a:1,a:2', 'redis-cluster://a:3,a:4'])
    instanceof RedisLock);
check('other primaries of the same Sentinels',
    new RedisLock(['redis-sentinel://a,b/one', 'redis-sentinel://a,b/two']) instanceof RedisLock);
check('ports tell them apart',
    new RedisLock(['redis://a:1', 'redis://a:2', 'redis://a:3']) instanceof RedisLock);

done();
?>
--EXPECT--
ok
