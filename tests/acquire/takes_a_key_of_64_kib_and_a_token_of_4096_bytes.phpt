--TEST--
A key may have 64 KiB, its prefix included, and a token 4096 bytes.
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
$token = random_bytes(4096);
foreach (['', 'shop:'] as $prefix) {
    $lock = new RedisLock($server->dsn(), $prefix);
    $key = str_repeat('k', 65536 - strlen($prefix));
    same('acquire()', $token, $lock->acquire($key, token: $token));
    same('owner()', $token, $lock->owner($key));
    same('stored', $token, $server->cmd('GET', $prefix . $key));
    same('a wait for it', null, $lock->acquire($key, wait: 0.05));
    same('release()', true, $lock->release($key, $token));
}
same('the shortest', true, $lock->release('k', $lock->acquire('k')));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
