--TEST--
acquire() returns a fresh token and leaves it in the key, as a string with the TTL asked for.
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

$token = $lock->acquire('stock:42', 12.5);
matches('token', TOKEN, $token);
same('value', $token, $server->cmd('GET', 'stock:42'));
same('type', 'string', $server->cmd('TYPE', 'stock:42'));
between('PTTL', 2500, 12500, $server->cmd('PTTL', 'stock:42'));

$second = $lock->acquire('stock:43');
matches('token', TOKEN, $second);
check('tokens differ', $token !== $second);
between('PTTL by default', 20000, 30000, $server->cmd('PTTL', 'stock:43'));

done();
?>
--EXPECT--
ok
