--TEST--
A lease and a wait follow their slots to a replica that becomes the master.
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

$cluster = start_cluster(3, 1, timeout: 5000);
$key = $cluster->keyOf(1);
$lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
$token = $lock->acquire($key, 60);
$lease = $lock->lease($cluster->keyOf(1, 'lease'), room(12.0)); // a failover may take seconds
$waiter = waiter($cluster->dsn(), $key, ['ttl' => 30, 'wait' => slack(20.0)]);
eventually('it waits', fn () =>
    (int) $cluster->nodes[1]->client()->info('clients')['blocked_clients'] === 1, 10.0);
$cluster->failover(4);
eventually('it waits at the new master', fn () =>
    (int) $cluster->nodes[4]->client()->info('clients')['blocked_clients'] === 1, 10.0);
$result = hand_to_waiter($lock, $key, $token, $waiter, null);
same('it was woken', 1, $result['stats']['wake_ups']);
$renewed = RedisLock::stats()['renewed'];
eventually('the lease is renewed', fn () => RedisLock::stats()['renewed'] > $renewed, slack(10.0));
same('it is held', true, $lease->isHeld());
same('its key', $lease->token(), $cluster->ask(4, 'GET', $lease->key()));
same('the lease is released', true, $lease->release());
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
