--TEST--
Times may be int, float or numeric strings, unless strict_types.
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
$lock = new RedisLock($server->dsn(), timeout: 2, connectTimeout: '1');
matches('int', TOKEN, $lock->acquire('a', 10, 0));
matches('string', TOKEN, $lock->acquire('b', '10.5', '0'));
between('PTTL', 1, 10500, $server->cmd('PTTL', 'b'));
matches('int as key', TOKEN, $token = $lock->acquire(17));
same('keys', ['0:17', '0:a', '0:b'], $server->keys());
same('int as token', '42', $lock->acquire('c', token: 42));
same('named arguments', true, $lock->release(token: $token, key: '17'));

done();
?>
--EXPECT--
ok
