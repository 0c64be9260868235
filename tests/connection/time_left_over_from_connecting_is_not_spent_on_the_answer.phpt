--TEST--
The part of connectTimeout that connecting did not use is not available for the answer.
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

$fake = fake_server([rule('SET', ['hang'])]);
$lock = new RedisLock($fake->dsn(), timeout: 0.2, connectTimeout: 20.0);
throws('acquire()', 'RedisLockConnectionException', '~0\.2 s~', fn () => $lock->acquire('k'), 5.0);

done();
?>
--EXPECT--
ok
