--TEST--
resume() makes a lease of a token that acquire() gave, here a token of one's own; one EVALSHA.
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
$token = $lock->acquire('k', 60, token: 'job-17');
$lock->extend('k', $token, 60);
$monitor = $server->monitor();
$lease = $lock->resume('k', $token);
same('sent', 1, count($monitor->lines()));
same('token()', 'job-17', $lease->token());
between('the default ttl', 25000, 30000, $server->cmd('PTTL', 'k'));
between('remaining()', 20, 30, $lease->remaining());
same('extend()', true, $lease->extend(10));
unset($lease);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
