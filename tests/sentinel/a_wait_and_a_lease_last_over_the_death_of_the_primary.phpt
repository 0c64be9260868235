--TEST--
A wait and a lease last over the death of the primary.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
skip_without_sentinel();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';
require __DIR__ . '/../inc/waiter.inc';

$sentinels = start_sentinels(3, 1);
$lock = new RedisLock($sentinels->dsn());
$token = $lock->acquire('k', 60);
$lease = $lock->lease('lease', 30);
$waiter = waiter($sentinels->dsn(), 'k', ['ttl' => 30, 'wait' => slack(25.0)]);
eventually('it waits', fn () =>
    (int) $sentinels->servers[0]->client()->info('clients')['blocked_clients'] === 1, 10.0);
eventually('the replica has the locks', fn () =>
    $sentinels->ask(1, 'EXISTS', 'k', 'lease') === 2, 10.0);

$sentinels->servers[0]->kill();
$sentinels->awaitPrimary(1);
same('the lease is whole', true, $lease->verify());
same('the lock is held', null, $lock->acquire('k', 30));
$at = now();
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
same('no exception', null, $result['error']);
matches('it gets the lock', TOKEN, (string) $result['token']);
between('soon', 0, slack(1.5), $result['at'] - $at);
same('freed', true, $lock->release('k', $result['token']));
same('the lease is released', true, $lease->release());
same('nothing is left', [], $sentinels->servers[1]->locks());

done();
?>
--EXPECT--
ok
