--TEST--
A wait with INF lasts until the lock is free.
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
$server->cmd('SET', 'k', 'somebody');
$lock = new RedisLock($server->dsn());
$start = now();
$holder = in_fork(function () use ($server): void {
    usleep(700000);
    $server->cmd('DEL', 'k');
});
matches('token', TOKEN, (string) $lock->acquire('k', wait: INF));
check('it waited', now() - $start >= 0.7, now() - $start);
reap($holder);

done();
?>
--EXPECT--
ok
