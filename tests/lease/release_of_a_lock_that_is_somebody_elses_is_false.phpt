--TEST--
release() returns false when the lock is gone or belongs to another holder, whose lock stays.
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
$lease = $lock->lease('gone', 20);
$server->cmd('DEL', 'gone');
same('gone', false, $lease->release());
$lease = $lock->lease('taken', 20);
$server->cmd('SET', 'taken', 'somebody', 'PX', 20000);
same('taken', false, $lease->release());
same('again', false, $lease->release());
unset($lease);
same('value', 'somebody', $server->cmd('GET', 'taken'));

done();
?>
--EXPECT--
ok
