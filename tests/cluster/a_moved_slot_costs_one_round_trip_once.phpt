--TEST--
The first call after a slot has moved costs one round trip more, and the next ones none.
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

/** How many commands the nodes have refused by MOVED. */
function moved(Cluster $cluster): int
{
    $count = 0;
    foreach ($cluster->masters() as $node) {
        preg_match('~^errorstat_MOVED:count=(\d+)~m', $cluster->ask($node, 'INFO', 'errorstats'),
            $m);
        $count += (int) ($m[1] ?? 0);
    }
    return $count;
}

$cluster = start_cluster();
$lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
/* Teaches the map, which Redis 6.2 sends some ms after the answer to the command. */
for ($i = 0; $i < 2; $i++) {
    foreach ($cluster->masters() as $node) {
        $lock->isLocked($cluster->keyOf($node));
    }
    nap(room(0.1));
}
$before = moved($cluster);
$redirects = RedisLock::stats()['cluster_redirects'];
foreach (range(1, 100) as $i) {
    $lock->isLocked("key$i");
}
same('with the map no key is redirected', $before, moved($cluster));

$key = $cluster->keyOf(0);
$token = $lock->acquire($key, 30);
$cluster->move($key, 2);
$before = moved($cluster);
same('it has moved', true, $lock->extend($key, $token, 30));
same('one redirect', $before + 1, moved($cluster));
same('counted', $redirects + 1, RedisLock::stats()['cluster_redirects']);
for ($i = 0; $i < 10; $i++) {
    same('held', null, $lock->acquire($key, 30));
    same('extended', true, $lock->extend($key, $token, 30));
}
same('no further redirect', $before + 1, moved($cluster));
same('freed', true, $lock->release($key, $token));
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
