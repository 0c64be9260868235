--TEST--
A token of the caller's own is stored as it is and returned.
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
foreach (['job-17', 'x', '00', ' ', '-1', str_repeat('t', 4096)] as $i => $token) {
    same('returned', $token, $lock->acquire("k$i", 10, token: $token));
    same('stored', $token, $server->cmd('GET', "k$i"));
    same('released', true, $lock->release("k$i", $token));
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
