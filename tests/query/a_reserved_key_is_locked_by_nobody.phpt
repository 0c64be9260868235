--TEST--
A key with an empty value is reserved: it is locked, but has no owner.
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
$lock = new RedisLock($server->dsn());
$server->cmd('SET', 'k', '', 'PX', 60000);
same('isLocked()', true, $lock->isLocked('k'));
same('owner()', null, $lock->owner('k'));
check('remaining()', $lock->remaining('k') > 0);
same('acquire()', null, $lock->acquire('k'));
same('value', '', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
