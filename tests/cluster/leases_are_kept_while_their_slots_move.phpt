--TEST--
Leases are renewed at the nodes to which their slots have moved, and freed there.
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
$lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
$leases = [];
foreach (range(0, 29) as $i) {
    $leases[] = $lock->lease("lease$i", room(0.9));
}
/* Each slot moves, some of them twice, while the leases are renewed three times. */
for ($round = 0; $round < 2; $round++) {
    foreach ($leases as $i => $lease) {
        if ($round === 0 || $i % 3 === 0) {
            $cluster->move($lease->key(), ($cluster->owner($lease->key()) + 1) % 3);
        }
    }
    usleep((int) (1e6 * room(0.9)));
}
foreach ($leases as $lease) {
    same("{$lease->key()} is held", true, $lease->isHeld());
    same("{$lease->key()} has its token", $lease->token(), $cluster->cmd('GET', $lease->key()));
}
same('none was lost', 0, RedisLock::stats()['lost']);
unset($lease, $leases);
eventually('all are freed', fn () => $cluster->locks() === []);

done();
?>
--EXPECT--
ok
