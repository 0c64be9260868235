--TEST--
After a hang of the server a lease that is granted again is also freed again with its object.
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
$lease = $lock->lease('k', 60);
$server->pause();
unset($lease);
$server->resume();
$lease = $lock->lease('next', 60);
check('it is granted', $lease !== null);
unset($lease);
eventually('keys', fn () => $server->keys() === [], 2.0);

done();
?>
--EXPECT--
ok
