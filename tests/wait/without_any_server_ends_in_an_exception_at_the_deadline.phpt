--TEST--
A wait in which no server could be asked ends in an exception, not in null, and not before the deadline.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the message names one server of several');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lock->isLocked('k');
$server->kill();
foreach ([0.4, 0.05] as $wait) {
    $took =
        elapsed(fn () => throws('acquire()', 'RedisLockConnectionException', '~s: |'
            . preg_quote($server->name()) . '~', fn () => $lock->acquire('k', wait: $wait)));
    check('not before the deadline', $took >= $wait, $took);
}
$took =
    elapsed(fn () => throws('without a wait', 'RedisLockConnectionException', '~.~',
        fn () => $lock->acquire('k')));
check('without a wait at once', $took < slack(1.0), $took);

done();
?>
--EXPECT--
ok
