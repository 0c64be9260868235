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
$lock = new RedisLock($sentinels->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
$lease = $lock->lease('lease', 9.0);
$token = $lock->acquire('k', 60);
$waiter = waiter($sentinels->dsn(), 'k', ['ttl' => 30, 'wait' => slack(25.0)]);
$sentinels->awaitWaiter(0);
$sentinels->awaitCopies(1, 'k', 'lease');
same('the new primary', 1, $sentinels->failover());
$sentinels->awaitWaiter(1);
hand_to_waiter($lock, 'k', $token, $waiter, 1.5);
usleep(3500000);
between('the lease was renewed', 5, 9, $lease->remaining());
same('at the new primary', $lease->token(), $sentinels->ask(1, 'GET', 'lease'));
same('the lease is released', true, $lease->release());
same('nothing is left', [], $sentinels->servers[1]->locks());

done();
?>
--EXPECT--
ok
