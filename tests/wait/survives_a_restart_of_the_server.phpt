--TEST--
A wait goes on when the server is restarted.
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
$server->cmd('SET', 'k', 'somebody', 'PX', 60000);
$start = now();
$restart = in_fork(function () use ($server): void {
    usleep(200000);
    $server->kill();
    usleep(300000);
    $server->start();
});
$token = $lock->acquire('k', 20, 20);
check('after the restart', now() - $start >= 0.5, now() - $start);
reap($restart);
matches('token', TOKEN, (string) $token);
same('keys', ['0:k'], $server->keys());
same('release()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
