--TEST--
A release that was lost before it reached the server is sent again and returns true.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$fake = fake_server([], $server);
$lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
$lock->release('warm', $lock->acquire('warm'));

$token = $lock->acquire('k');
$fake->rules([rule('EVALSHA', ['close'], times: 1)]);
same('release()', true, $lock->release('k', $token));
same('keys', [], $server->keys());

$token = $lock->acquire('k');
$fake->rules([rule('EVALSHA', ['close'], times: 1)]);
same('extend()', true, $lock->extend('k', $token, 60));
check('extended', $server->cmd('PTTL', 'k') > 30000);

done();
?>
--EXPECT--
ok
