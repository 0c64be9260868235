--TEST--
An error that cannot pass is thrown at once.
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

foreach (['NOAUTH Authentication required.',
    "OOM command not allowed when used memory > 'maxmemory'.",
    "NOPERM this user has no permissions to run the 'set' command",
    'ERR unknown command', 'MOVED 3999 127.0.0.1:6381'] as $error) {
    $code = strtok($error, ' ');
    $fake = fake_server([rule('SET', [send("-$error\r\n")])]);
    $lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
    $thrown = throws($code, 'RedisLockServerException', "~$code~",
        fn () => $lock->acquire('k', wait: 20), 2.0);
    same("$code: code", $code, $thrown?->getErrorCode());
    $fake->stop();
}

done();
?>
--EXPECT--
ok
