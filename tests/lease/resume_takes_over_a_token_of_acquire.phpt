--TEST--
resume() makes a lease of the lock of an acquire(), here with a caller's own token, and gives it a fresh token with one EVALSHA.
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
check('the script is loaded',
    $lock->resume('k', $lock->resume('k', $token)?->detach() ?? '-')?->release() === true);
$ignored = $lock->acquire('k', 60, token: 'job-17');
$monitor = $server->monitor();
$lease = $lock->resume('k', $token);
same('sent', 1, count($monitor->lines()));
matches('token()', TOKEN, $lease->token());
same('value', $lease->token(), $server->cmd('GET', 'k'));
same('the old token frees nothing', false, $lock->release('k', $token));
same('nor extends it', false, $lock->extend('k', $token, 60));
same('nor takes it over again', null, $lock->resume('k', $token));
between('the default ttl', 25000, 30000, $server->cmd('PTTL', 'k'));
between('remaining()', 20, 30, $lease->remaining());
same('extend()', true, $lease->extend(10));
unset($lease);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
