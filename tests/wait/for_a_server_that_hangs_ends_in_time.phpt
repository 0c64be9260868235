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
$unit = room(0.1);
$server->cmd('SET', 'k', 'somebody');
$lock = new RedisLock($server->dsn(), timeout: 3 * $unit, connectTimeout: 3 * $unit);
learn_scripts($lock, 'k');
$pause = in_fork(function () use ($server, $unit): void {
    usleep((int) (2e6 * $unit));
    $server->pause();
});
$took =
    elapsed(fn () => throws('acquire()', 'RedisLockConnectionException', '~.~',
        fn () => $lock->acquire('k', wait: 6 * $unit)));
reap($pause);
between('seconds', 6 * $unit, slack(2.5), $took);
$server->resume();
usleep((int) (2e6 * $unit));
same('keys', ['0:k'], $server->locks());
same('value', 'somebody', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
