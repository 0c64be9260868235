--TEST--
On a warm connection acquire() is one SET NX PX and release() one EVALSHA, and no key is left.
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
$helpers = ['stock:42::rl-wait', 'stock:42::rl-wake'];
foreach ([['3', 'stock:42', ...$helpers], ['3', 'stock:42', ...$helpers], ['1', 'stock:42']]
        as $names) {
    $lock = new RedisLock($server->dsn(), wake: count($names) > 2);
    $warm = '{stock:42}warm'; // on the same node of a cluster
    $lock->release($warm, $lock->acquire($warm));
    $monitor = $server->monitor();
    $token = $lock->acquire('stock:42');
    $seen = $monitor->commands();
    same('commands of acquire()', 1, count($seen));
    same('SET', ['SET', 'stock:42', $token, 'NX', 'PX', '30000'], $seen[0]['args']);

    same('release()', true, $lock->release('stock:42', $token));
    $seen = $monitor->commands();
    same('commands of release()', 1, count($seen));
    same('EVALSHA', ['EVALSHA', ...$names, $token],
        array_merge([$seen[0]['args'][0]], array_slice($seen[0]['args'], 2)));
    matches('SHA1', '~^[0-9a-f]{40}$~', $seen[0]['args'][1]);
    same('keys', [], $server->keys());
}

done();
?>
--EXPECT--
ok
