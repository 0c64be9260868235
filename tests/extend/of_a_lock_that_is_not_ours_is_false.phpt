--TEST--
extend() returns false for a lock that another holder has, that expired or that is free, and changes nothing.
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
$token = RedisLock::token();
same('nobody has it', false, $lock->extend('k', $token, 20));
same('keys', [], $server->keys());

$ttl = room(0.05);
undisturbed(0.02, function () use ($lock, $server, $token, $ttl): void {
    $server->cmd('DEL', 'k');
    $ignored = $lock->acquire('k', $ttl, token: $token);
});
usleep((int) (1.6e6 * $ttl));
same('expired', false, $lock->extend('k', $token, 20));
same('keys', [], $server->keys());

$holder = $lock->acquire('k', 20);
same("somebody else's", false, $lock->extend('k', $token, 300));
same('value', $holder, $server->cmd('GET', 'k'));
between('PTTL', 1, 20000, $server->cmd('PTTL', 'k'));

done();
?>
--EXPECT--
ok
