--TEST--
resume() returns null when the lock is not held with this token, and leaves the lock as it is.
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
same('nobody has it', null, $lock->resume('k', 'job-17', 20));
$server->cmd('SET', 'k', 'somebody', 'PX', 60000);
same('somebody else has it', null, $lock->resume('k', 'job-17', 20));
same('value', 'somebody', $server->cmd('GET', 'k'));
check('its ttl', $server->cmd('PTTL', 'k') > 30000);
same('keys', ['0:k'], $server->keys());

done();
?>
--EXPECT--
ok
