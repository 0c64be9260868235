--TEST--
An error that lasts until the deadline is thrown then.
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

$fake = fake_server([rule('*', [send("-LOADING Redis is loading the dataset in memory\r\n")])]);
$lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
$wait = room(0.5);
$took = elapsed(function () use ($lock, $wait): void {
    $thrown = throws('acquire()', 'RedisLockServerException', '~LOADING~',
        fn () => $lock->acquire('k', wait: $wait));
    same('code', 'LOADING', $thrown?->getErrorCode());
});
between('seconds', $wait, slack(2.5), $took);

done();
?>
--EXPECT--
ok
