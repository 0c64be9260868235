--TEST--
A lease is renewed through a planned failover, and a wait is woken at the new primary.
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
$lease = $lock->lease('lease', 9.0);
$token = $lock->acquire('k', 60);
$waiter = waiter($sentinels->dsn(), 'k', ['ttl' => 30, 'wait' => slack(25.0)]);
eventually('it waits', fn () =>
    (int) $sentinels->servers[0]->client()->info('clients')['blocked_clients'] === 1, 10.0);
eventually('the replica has the locks', fn () =>
    $sentinels->ask(1, 'EXISTS', 'k', 'lease') === 2, 10.0);
same('the new primary', 1, $sentinels->failover());
eventually('it waits there', fn () =>
    (int) $sentinels->servers[1]->client()->info('clients')['blocked_clients'] === 1, 15.0);
$at = now();
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
same('no exception', null, $result['error']);
matches('it gets the lock', TOKEN, (string) $result['token']);
between('soon', 0, slack(1.5), $result['at'] - $at);
same('freed', true, $lock->release('k', $result['token']));
usleep(3500000);
between('the lease was renewed', 5, 9, $lease->remaining());
same('at the new primary', $lease->token(), $sentinels->ask(1, 'GET', 'lease'));
same('the lease is released', true, $lease->release());
same('nothing is left', [], $sentinels->servers[1]->locks());

done();
?>
--EXPECT--
ok
