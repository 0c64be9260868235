--TEST--
A key that another client left without a TTL counts as taken, and remaining() returns INF.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$server->cmd('SET', 'k', 'somebody');
$lock = new RedisLock($server->dsn());
same('acquire()', null, $lock->acquire('k'));
same('acquire() with a wait', null, $lock->acquire('k', wait: 0.05));
same('remaining()', INF, $lock->remaining('k'));
same('owner()', 'somebody', $lock->owner('k'));
same('TTL', -1, $server->cmd('TTL', 'k'));
same('extend() by its owner gives it one', true, $lock->extend('k', 'somebody', 10));
between('PTTL', 1, 10000, $server->cmd('PTTL', 'k'));

done();
?>
--EXPECT--
ok
