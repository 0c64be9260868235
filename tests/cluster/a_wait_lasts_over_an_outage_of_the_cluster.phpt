--TEST--
A wait goes on while the cluster is down, and gets the lock when it is up again.
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

$cluster = start_cluster(timeout: 800);
$key = $cluster->keyOf(0);
$lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
$token = $lock->acquire($key, 60);
$waiter = waiter($cluster->dsn(), $key, ['ttl' => 30, 'wait' => slack(25.0)]);
eventually('it waits', fn () =>
    (int) $cluster->nodes[0]->client()->info('clients')['blocked_clients'] === 1, 10.0);

$cluster->nodes[1]->kill();
$cluster->nodes[2]->kill();
eventually('the cluster is down', fn () =>
    str_contains($cluster->ask(0, 'CLUSTER', 'INFO'), 'cluster_state:fail'), 10.0);
$thrown = throws('without a wait', 'RedisLockServerException', '~CLUSTERDOWN~',
    fn () => $lock->acquire($cluster->keyOf(0, 'free'), 30), 2.0);
same('code', 'CLUSTERDOWN', $thrown?->getErrorCode());
usleep(500000);
$cluster->startAll();
hand_to_waiter($lock, $key, $token, $waiter, null);
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
