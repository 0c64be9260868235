--TEST--
extend() makes the rest longer or shorter, at the server and in remaining().
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
$lease = $lock->lease('k', 20, renew: false);
same('extend()', true, $lease->extend(30)); // the server knows the script from now on
$monitor = $server->monitor();
same('extend()', true, $lease->extend(60));
same('one command', 1, count($monitor->lines()));
between('PTTL', 50000, 60000, $server->cmd('PTTL', 'k'));
between('remaining()', 50, 59.9, $lease->remaining());
same('shorter', true, $lease->extend(5));
between('PTTL', 1000, 5000, $server->cmd('PTTL', 'k'));
between('remaining()', 1, 5, $lease->remaining());
same('very short', true, $lease->extend(room(0.1)));
eventually('it ends by the new ttl', fn () => !$lease->isHeld(), 2.0);
eventually('so does the key', fn () => $server->cmd('EXISTS', 'k') === 0, 2.0);

done();
?>
--EXPECT--
ok
