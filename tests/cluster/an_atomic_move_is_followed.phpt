--TEST--
A slot that moves with all its keys at once (Valkey 9) breaks no lock, no lease and no wait.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_atomic_moves();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';
require __DIR__ . '/../inc/waiter.inc';

$cluster = start_cluster();
$key = $cluster->keyOf(0);
$lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
$token = $lock->acquire($key, 60);
$lease = $lock->lease("{{$key}}:lease", room(3.0));
foreach ([1, 2, 0, 1] as $node) {
    $waiter = waiter($cluster->dsn(), $key, ['ttl' => 30, 'wait' => slack(20.0)]);
    eventually('it waits', fn () => (int) $cluster->ownerOf($key)->client()
        ->info('clients')['blocked_clients'] === 1, 10.0);
    $cluster->moveAtomically($key, $node);
    same('the lock has moved', $token, $cluster->ask($node, 'GET', $key));
    eventually('it waits at the new owner', fn () => (int) $cluster->nodes[$node]->client()
        ->info('clients')['blocked_clients'] === 1, 10.0);
    $result = hand_to_waiter($lock, $key, $token, $waiter, null);
    same('it was woken', 1, $result['stats']['wake_ups']);
    same('it had no other trouble', [0, 0],
        [$result['stats']['wake_failures'], $result['stats']['failed']]);
    $token = $lock->acquire($key, 60);
}
$renewed = RedisLock::stats()['renewed'];
eventually('the lease is renewed', fn () => RedisLock::stats()['renewed'] > $renewed, slack(10.0));
same('it is held', true, $lease->isHeld());
same('its key', $lease->token(), $cluster->ask(1, 'GET', $lease->key()));
same('the lease is released', true, $lease->release());
same('release()', true, $lock->release($key, $token));
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
