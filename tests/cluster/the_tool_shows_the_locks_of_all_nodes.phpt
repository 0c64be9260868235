--TEST--
redislock top shows the locks on every node of a cluster, whichever node the DSN names.
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
require __DIR__ . '/../inc/tool.inc';

$cluster = start_cluster();
$lock = new RedisLock($cluster->dsn(), label: 'web');
$keys = array_map(fn ($node) => $cluster->keyOf($node), $cluster->masters());
foreach ($keys as $key) {
    check("acquire() of $key", $lock->acquire($key, 60) !== null);
}
sort($keys);
foreach ([[0], [2, 1]] as $seeds) {
    $seen = holders($cluster->dsn(seeds: $seeds));
    ksort($seen);
    same('locks', array_fill_keys($keys, 'web'), $seen);
}

done();
?>
--EXPECT--
ok
