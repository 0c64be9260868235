--TEST--
A server that sends a byte now and then does not extend the timeout.
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

foreach ([["+OK but very very slowly, and so on and on and on and on\r\n", 'a line'],
        ["\$1000\r\n" . str_repeat('x', 1000) . "\r\n", 'a string']] as [$reply, $what]) {
    $fake = fake_server([rule('SET', [drip($reply, 0.1)]), rule('CLIENT', ['answer'])]);
    $lock = new RedisLock($fake->dsn(), timeout: 0.4, connectTimeout: 0.2);
    $took =
        elapsed(fn () => throws($what, 'RedisLockConnectionException', '~.~',
            fn () => $lock->acquire('k')));
    between("seconds for $what", 0.3, slack(2.5), $took);
    $fake->stop();
}
$fake = fake_server([rule('*', [drip("+OK\r\n+OK\r\n", 0.02)])]);
matches('drips that are over in time are read', TOKEN,
    (string) (new RedisLock($fake->dsn(), timeout: 10))->acquire('k'));

done();
?>
--EXPECT--
ok
