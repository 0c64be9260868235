--TEST--
Nodes and Sentinels that want TLS and passwords are reached, also after a failover.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
require __DIR__ . '/../inc/tls.inc';
skip_without_sentinel();
skip_without_tls();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';
require __DIR__ . '/../inc/tls.inc';

by_tls();
$sentinels = start_sentinels(3, 1, ['requirepass' => 'secret']);
$lock = new RedisLock($sentinels->dsn(credentials: ':secret'));
matches('the DSN', '~^rediss-sentinel://~', $sentinels->dsn());
$token = $lock->acquire('k', 30);
same('the primary has it', $token, $sentinels->ask(0, 'GET', 'k'));
same('release()', true, $lock->release('k', (string) $token));
$lease = $lock->lease('lease', 30);
eventually('the replica has it', fn () => $sentinels->ask(1, 'EXISTS', 'lease') === 1);
same('the new primary', 1, $sentinels->failover());
same('the lease is whole', true, $lease->verify());
same('it is released', true, $lease->release());
throws('without the password', 'RedisLockServerException', '~NOAUTH~',
    fn () => (new RedisLock($sentinels->dsn()))->acquire('k'));
throws('without TLS', 'RedisLockConnectionException', '~TLS~', fn () => (new RedisLock(
    str_replace('rediss', 'redis', preg_replace('~\\?.*~', '', $sentinels->dsn()))))->acquire('k'));

done();
?>
--EXPECT--
ok
