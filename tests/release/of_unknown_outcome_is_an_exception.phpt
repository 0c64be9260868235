--TEST--
If the reply to a release is lost, the outcome is unknown, and the exception says so.
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
$timeout = room(0.3);
$lock = new RedisLock($fake->dsn(), timeout: $timeout);
$lock->release('warm', $lock->acquire('warm'));

$token = $lock->acquire('k');
$fake->rules([rule('EVALSHA', ['forward', 'close'], times: 1)]);
$thrown = throws('reply lost', 'RedisLockConnectionException',
    '~no longer held.*outcome unknown~is', fn () => $lock->release('k', $token));
check('no token in the message', !str_contains($thrown->getMessage(), $token));
same('keys', [], $server->keys());

$token = $lock->acquire('k');
$fake->rules([rule('EVALSHA', ['forward', wait_for(10 / 3 * $timeout), 'reply'], times: 1)]);
throws('reply late', 'RedisLockConnectionException', '~.~',
    fn () => $lock->release('k', $token), 3.0);
same('keys', [], $server->keys());
same('the next lock', true, $lock->release('k', $lock->acquire('k')));

done();
?>
--EXPECT--
ok
