--TEST--
lease() returns null for a lock that another holder has, at once or when the wait is over.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$server->cmd('SET', 'k', 'somebody', 'PX', 60000);
same('at once', null, $lock->lease('k'));
check('it waits', elapsed(fn () => $lock->lease('k', wait: 0.15), $result) >= 0.15);
same('after a wait', null, $result);
$first = $lock->lease('mine');
same('of one of our own', null, $lock->lease('mine'));
same('also for acquire()', null, $lock->acquire('mine'));
is_whole('the first', $server, $first);
same('value', 'somebody', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
