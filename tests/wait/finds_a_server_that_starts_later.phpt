--TEST--
A wait begins while no server runs and takes the lock when one has started.
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
$server->kill();
$start = in_fork(function () use ($server): void {
    usleep(300000);
    $server->start();
});
$token = $lock->acquire('k', 20, 20);
reap($start);
matches('token', TOKEN, (string) $token);
same('keys', ['0:k'], $server->keys());

done();
?>
--EXPECT--
ok
