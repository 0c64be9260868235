--TEST--
The last of the retries can take the lock.
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
$server->cmd('SET', 'k', 'somebody', 'PX', 150);
$lock = new RedisLock($server->dsn(), retryDelay: 0.2, retryMaxDelay: 0.2, jitter: 0, retries: 1);
matches('acquire()', TOKEN, (string) $lock->acquire('k', wait: 20));

done();
?>
--EXPECT--
ok
