--TEST--
release() with another token than the holder's returns false and frees nothing.
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
foreach ([RedisLock::token(), 'x', "$token ", substr($token, 0, -1), strtoupper($token), "$token\0"]
        as $wrong) {
    same('release()', false, $lock->release('k', $wrong));
}
same('another key', false, $lock->release('k2', $token));
same('value', $token, $server->cmd('GET', 'k'));
same('release()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
