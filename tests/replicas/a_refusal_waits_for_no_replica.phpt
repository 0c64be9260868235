--TEST--
A call that is refused a lock does not wait for the replicas.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/replicas.inc';

$all = start_replicated();
$lock = new RedisLock($all->dsn(), persistent: false);
$other = new RedisLock($all->primary->dsn());
matches('it is held', TOKEN, (string) $other->acquire('k', 30));
$other->extend('k', 'no-token', 30); // the server learns the script
$all->pause();
$watch = new Stopwatch();
same('acquire()', null, $lock->acquire('k', 30));
$watch->within('acquire() at once', slack(0.05));
$lock = new RedisLock($all->dsn(), persistent: false);
$watch = new Stopwatch();
same('extend()', false, $lock->extend('k', 'no-token', 30));
$watch->within('extend() at once', slack(0.05));
$lock = new RedisLock($all->dsn(), persistent: false);
$watch = new Stopwatch();
same('a wait', null, $lock->acquire('k', 30, wait: 0.3));
$watch->within('a wait ends at its deadline', 0.3 + slack(0.15), 0.3);
same('stats', 0, RedisLock::stats()['unconfirmed']);

done();
?>
--EXPECT--
ok
