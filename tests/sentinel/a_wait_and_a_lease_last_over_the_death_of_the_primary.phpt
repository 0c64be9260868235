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
$sentinels->awaitWaiter(0);
$sentinels->awaitCopies(1, 'k', 'lease');

$sentinels->servers[0]->kill();
$sentinels->awaitPrimary(1);
same('the lease is whole', true, $lease->verify());
same('the lock is held', null, $lock->acquire('k', 30));
hand_to_waiter($lock, 'k', $token, $waiter, 1.5);
same('the lease is released', true, $lease->release());
same('nothing is left', [], $sentinels->servers[1]->locks());

done();
?>
--EXPECT--
ok
