--TEST--
An option in the DSN takes precedence over the argument with the same meaning.
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

$hangs = fake_server([rule('*', ['hang'])]);
$took =
    elapsed(fn () => throws('timeout', 'RedisLockConnectionException', '~.~',
        fn () => (new RedisLock($hangs->dsn('?timeout=0.2'), timeout: 30, connectTimeout: 0.2))
        ->acquire('k')));
between('seconds', 0.2, slack(3.0), $took);
$full = full_server();
$took =
    elapsed(fn () => throws('connect_timeout', 'RedisLockConnectionException', '~.~',
        fn () => (new RedisLock($full->dsn('?connect_timeout=0.2'), timeout: 0.2,
            connectTimeout: 30))->acquire('k')));
check('seconds', $took < slack(3.0), $took);
$took =
    elapsed(fn () => throws('longer', 'RedisLockConnectionException', '~.~',
        fn () => (new RedisLock($hangs->dsn('?timeout=0.5'), timeout: 0.01, connectTimeout: 0.01))
        ->acquire('k')));
between('seconds', 0.5, slack(3.0), $took);

done();
?>
--EXPECT--
ok
