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
$took = elapsed(fn () => same('acquire()', null, $lock->acquire('k', 30)));
between('acquire() at once', 0, slack(0.05), $took);
$lock = new RedisLock($all->dsn(), persistent: false);
$took = elapsed(fn () => same('extend()', false, $lock->extend('k', 'no-token', 30)));
between('extend() at once', 0, slack(0.05), $took);
$lock = new RedisLock($all->dsn(), persistent: false);
$took = elapsed(fn () => same('a wait', null, $lock->acquire('k', 30, wait: 0.3)));
between('a wait ends at its deadline', 0.3, 0.3 + slack(0.15), $took);
same('stats', 0, RedisLock::stats()['unconfirmed']);

done();
?>
--EXPECT--
ok
