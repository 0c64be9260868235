--TEST--
findKeys() lists the keys of every node of a cluster, whichever node the DSN names, and asks one node if the prefix has a hash tag.
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
$lock = new RedisLock($cluster->dsn());
$keys = ['a{x}1', 'a{x}2'];
for ($i = 0; $i < 300; $i++) {
    $keys[] = "k$i";
}
foreach ($keys as $key) {
    check("acquire() of $key", $lock->acquire($key, 60) !== null);
}
sort($keys, SORT_STRING);
foreach ([[0], [2, 1]] as $seeds) {
    foreach (['', 'k'] as $prefix) {
        $fresh = new RedisLock($cluster->dsn(seeds: $seeds), persistent: false);
        $found = $fresh->findKeys($prefix);
        same("prefix '$prefix'", array_values(preg_grep("~^$prefix~", $keys)), $found);
    }
}
same('a hash tag', ['a{x}1', 'a{x}2'], $lock->findKeys('a{x}'));
same('the beginning of one', ['a{x}1', 'a{x}2'], $lock->findKeys('a{'));
same('none', [], $lock->findKeys('nothing'));

done();
?>
--EXPECT--
ok
