--TEST--
lease() takes the lock as acquire() does, with one SET NX PX, and its object knows the key and the token.
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
$monitor = $server->monitor();
$lease = $lock->lease('k', 20);
same('class', RedisLockLease::class, $lease::class);
same('sent', ['SET k TOKEN NX PX 20000'],
    array_map(fn ($c) => Monitor::readable($c['args']), $monitor->named('SET')));
matches('token()', TOKEN, $lease->token());
is_whole('the lease', $server, $lease);
same('key()', 'k', $lease->key());
between('PTTL', 15000, 20000, $server->cmd('PTTL', 'k'));
same('owner()', $lease->token(), $lock->owner('k'));

done();
?>
--EXPECT--
ok
