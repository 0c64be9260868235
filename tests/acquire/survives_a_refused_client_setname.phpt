--TEST--
An acquire() goes on when CLIENT SETNAME fails, because the name only helps the administrator.
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
$fake =
    fake_server([rule('CLIENT',
        [send("-NOPERM this user has no permissions to run the 'client|setname' command\r\n")])],
        $server);
$lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
matches('cold acquire()', TOKEN, $token = $lock->acquire('k'));
$lock->close();
same('cold release()', true, $lock->release('k', $token));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
