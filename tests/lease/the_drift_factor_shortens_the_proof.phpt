--TEST--
remaining() is the TTL minus the drift that the constructor allows for.
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
$loose = (new RedisLock($server->dsn(), driftFactor: 0.5))->lease('loose', 20);
between('half of it', 5.0, 10.0, $loose->remaining());
$tight = (new RedisLock($server->dsn(), driftFactor: 0))->lease('tight', 20);
between('all of it', 15.0, 20.0, $tight->remaining());

done();
?>
--EXPECT--
ok
