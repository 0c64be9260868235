--TEST--
A lock without waiters makes no helper key and leaves no key behind.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lock->release('warm', $lock->acquire('warm'));
$server->cmd('CONFIG', 'RESETSTAT');
foreach ([0, 5] as $wait) {
    same('release()', true, $lock->release('k', $lock->acquire('k', wait: $wait)));
    same('keys', [], $server->keys());
}
$ignored = $lock->acquire('k');
same('refused', null, $lock->acquire('k'));
same('forceRelease()', true, $lock->forceRelease('k'));
same('keys', [], $server->keys());
$seen = $server->client()->info('commandstats');
foreach (['zadd', 'zrem', 'lpush', 'blpop'] as $name) {
    check("no $name", !isset($seen["cmdstat_$name"]), $seen["cmdstat_$name"] ?? null);
}

done();
?>
--EXPECT--
ok
