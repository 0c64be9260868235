--TEST--
The lock of a token outlives its object and its process.
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
foreach (['true', 'false'] as $persistent) {
    $token = run_php('echo (new RedisLock($argv[1], persistent: ' . $persistent
        . '))->acquire("k", 20);', [$server->dsn()]);
    matches('token', TOKEN, $token);
    same('value', $token, $server->cmd('GET', 'k'));
    same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
}

done();
?>
--EXPECT--
ok
