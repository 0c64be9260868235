--TEST--
A release() without an answer ends the proof: the lock may be free, and is not entered again.
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
$timeout = slack(0.2);
$lock = new RedisLock($server->dsn(), reentrant: true, timeout: $timeout,
    connectTimeout: $timeout);
$other = new RedisLock($server->dsn());
same('the server knows the script', true, $lock->lease('k')->release());
$lease = $lock->lease('k', 60);
$server->pause();
throws('release()', 'RedisLockConnectionException', '~outcome is unknown~',
    fn () => $lease->release());
$server->resume();
eventually('the server has carried it out', fn () => $server->keys() === []);
$theirs = $other->lease('k', 60);
check('it is free for others', $theirs !== null);
same('isHeld(), remaining()', [false, 0.0], [$lease->isHeld(), $lease->remaining()]);
same('extend()', false, $lease->extend(60));
throws('it is not entered again', 'RedisLockTimeoutException', '~"k"~',
    fn () => $lock->synchronized('k', fn () => 1));
same('release() again', false, $lease->release());
unset($lease);
same('theirs is untouched', [true, true], [$theirs->verify(), $theirs->release()]);

done();
?>
--EXPECT--
ok
