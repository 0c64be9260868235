--TEST--
The parent can give its lock to a child by detach() and resume().
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$token = $lock->lease('k', 60)->detach();
reap(in_fork(function () use ($lock, $token, $server): void {
    $lease = $lock->resume('k', $token, 20);
    is_whole('resumed', $server, $lease);
    $GLOBALS['kept'] = $lease;
}));
same('its end frees it', [], $server->keys());

done();
?>
--EXPECT--
ok
