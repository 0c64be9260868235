--TEST--
A wait and a lease last over the death of their node, whose replica takes its place.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';
require __DIR__ . '/../inc/waiter.inc';

$cluster = start_cluster(3, 1, timeout: 1000);
$key = $cluster->keyOf(0);
$kept = $cluster->keyOf(0, 'lease');
$lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
$token = $lock->acquire($key, 60);
$lease = $lock->lease($kept, 30);
$waiter = waiter($cluster->dsn(), $key, ['ttl' => 30, 'wait' => slack(25.0)]);
eventually('it waits', fn () =>
    (int) $cluster->nodes[0]->client()->info('clients')['blocked_clients'] === 1, 10.0);
eventually('the replica has the locks', fn () =>
    in_array("0:$kept", $cluster->nodes[3]->keys(), true));

$cluster->nodes[0]->kill();
$cluster->awaitMaster(3);
same('the lease is whole', true, $lease->verify());
same('the lock is held', null, $lock->acquire($key, 30));
hand_to_waiter($lock, $key, $token, $waiter, 1.5);
same('the lease is released', true, $lease->release());
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
