--TEST--
A lock of five members may mix single servers, primaries behind Sentinels, and clusters.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
require __DIR__ . '/../inc/cluster.inc';
skip_without_sentinel();
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';
require __DIR__ . '/../inc/cluster.inc';
require __DIR__ . '/../inc/waiter.inc';

$plain = [start_server(), start_server()];
$sentinels = [start_sentinels(1, 0), start_sentinels(3, 1)];
$cluster = start_cluster();
$dsns = [$plain[0]->dsn(), $sentinels[0]->dsn(), $cluster->dsn(), $plain[1]->dsn(),
    $sentinels[1]->dsn()];
$holding = fn (string $key): int => count(array_filter([
    $plain[0]->cmd('EXISTS', $key), $plain[1]->cmd('EXISTS', $key),
    $sentinels[0]->primaryServer()->cmd('EXISTS', $key),
    $sentinels[1]->primaryServer()->cmd('EXISTS', $key),
    $cluster->ownerOf($key)->cmd('EXISTS', $key)]));
$lock = new RedisLock($dsns, timeout: room(1.0), connectTimeout: room(1.0));
$token = $lock->acquire('k', 30);
matches('acquire()', TOKEN, (string) $token);
eventually('a quorum has it', fn () => $holding('k') >= 3);
same('acquire() again', null, $lock->acquire('k', 30));
same('owner()', $token, $lock->owner('k'));
same('extend()', true, $lock->extend('k', $token, 30));
$waiter = waiter($dsns, 'k', ['ttl' => 30, 'wait' => slack(10.0)]);
usleep((int) (1e6 * room(0.3)));
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
same('no exception', null, $result['error']);
matches('the waiter gets it', TOKEN, (string) $result['token']);
same('freed', true, $lock->release('k', (string) $result['token']));

/* Two members may be gone: the Sentinels of one, and a single server. */
$sentinels[0]->sentinels[0]->kill();
$sentinels[0]->servers[0]->kill();
$plain[1]->kill();
$lease = $lock->lease('lease', room(2.0));
check('a lease', $lease !== null);
$fresh = new RedisLock($dsns, timeout: room(1.0), connectTimeout: room(1.0),
    persistent: false);
same('another object', null, $fresh->acquire('lease', 30));
$result = waiter($dsns, 'lease', ['ttl' => 30, 'wait' => room(0.3)])->result();
same('a wait of a process that has not met the Sentinels', [null, null],
    [$result['token'], $result['error']]);
usleep((int) (1e6 * room(2.5)));
same('it is renewed', true, $lease->isHeld());
same('a failover of a member', 1, $sentinels[1]->failover());
usleep((int) (1e6 * room(1.0)));
same('it is held', true, $lease->isHeld());
same('it is released', true, $lease->release());
same('nothing is left', [], array_merge($plain[0]->locks(), $cluster->locks(),
    $sentinels[1]->servers[1]->locks()));

done();
?>
--EXPECT--
ok
