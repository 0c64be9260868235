--TEST--
With a plain DSN of a node its locks work; for others an exception says which DSN to use.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';

$cluster = start_cluster();
$lock = new RedisLock("redis://127.0.0.1:{$cluster->nodes[0]->port}");
$token = $lock->acquire($cluster->keyOf(0), 30);
matches('a key of the node', TOKEN, (string) $token);
same('released', true, $lock->release($cluster->keyOf(0), $token));
foreach (['acquire', 'isLocked', 'owner', 'remaining', 'forceRelease'] as $method) {
    $thrown = throws($method, 'RedisLockServerException', '~redis-cluster://~',
        fn () => $lock->$method($cluster->keyOf(1)));
    same("$method: code", 'MOVED', $thrown?->getErrorCode());
}
throws('a wait ends at once', 'RedisLockServerException', '~redis-cluster://~',
    fn () => $lock->acquire($cluster->keyOf(1), 30, 10), 1.0);
same('nothing is left', [], $cluster->keys());

done();
?>
--EXPECT--
ok
