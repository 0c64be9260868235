--TEST--
A call gives up a server that accepts no connection at connectTimeout.
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

foreach ([false, true] as $unix) {
    $full = full_server($unix);
    $lock = new RedisLock($full->dsn(), timeout: 0.2, connectTimeout: 0.3);
    $thrown = null;
    $took = elapsed(function () use ($lock, $full, &$thrown): void {
        $thrown = throws('acquire()', 'RedisLockConnectionException', '~connect~i',
            fn () => $lock->acquire('k'));
    });
    check('seconds', $took < slack(2.0), $took);
    same('named in the reasons', [$full->dsn()], array_keys($thrown->getReasons()));
    $took =
        elapsed(fn () => throws('with a wait', 'RedisLockConnectionException', '~connect~i',
            fn () => $lock->acquire('k', wait: 0.5)));
    between('seconds with a wait', 0.5, slack(3.0), $took);
    $full->stop();
    $thrown = null; /* its trace holds the closure that holds it: a leak for valgrind */
}

done();
?>
--EXPECT--
ok
