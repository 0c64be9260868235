--TEST--
A token is plain data: another process can release the lock.
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
$token = $lock->acquire('k');
echo run_php('var_dump((new RedisLock($argv[1]))->release("k", $argv[2]));',
    [$server->dsn(), $token]);
same('keys', [], $server->keys());
same('release()', false, $lock->release('k', $token));

done();
?>
--EXPECT--
bool(true)
ok
