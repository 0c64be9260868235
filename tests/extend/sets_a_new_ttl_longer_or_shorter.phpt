--TEST--
extend() sets a new TTL, longer or shorter, and keeps the token.
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
$token = $lock->acquire('k', 20);
same('longer', true, $lock->extend('k', $token, 60));
between('PTTL', 30000, 60000, $server->cmd('PTTL', 'k'));
same('shorter', true, $lock->extend('k', $token, 5));
between('PTTL', 1, 5000, $server->cmd('PTTL', 'k'));
same('the longest', true, $lock->extend('k', $token, 366 * 86400));
between('TTL', 31622400 - 60, 31622400, $server->cmd('TTL', 'k'));
same('value', $token, $server->cmd('GET', 'k'));
same('very short', true, $lock->extend('k', $token, $ttl = room(0.5)));
usleep((int) (1.2e6 * $ttl));
same('it has ended', false, $lock->isLocked('k'));

done();
?>
--EXPECT--
ok
