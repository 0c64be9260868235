--TEST--
A wait whose server stops answering ends in an exception, between the deadline and one timeout after it.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$server->cmd('SET', 'k', 'somebody');
$lock = new RedisLock($server->dsn(), timeout: 0.3, connectTimeout: 0.3);
learn_scripts($lock, 'k');
$pause = in_fork(function () use ($server): void {
    usleep(200000);
    $server->pause();
});
$took =
    elapsed(fn () => throws('acquire()', 'RedisLockConnectionException', '~.~',
        fn () => $lock->acquire('k', wait: 0.6)));
reap($pause);
between('seconds', 0.6, slack(2.5), $took);
$server->resume();
usleep(200000);
same('keys', ['0:k'], $server->locks());
same('value', 'somebody', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
