--TEST--
A release of several keys that meets an outage is an exception, and the keys are free once the servers are back.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), timeout: 0.2, connectTimeout: 0.2);
$lease = $lock->lease(['a', 'b', 'c'], 60);
$server->pause();
throws('release()', 'RedisLockConnectionException', '~timed out|timeout~i',
    fn () => $lease->release(), slack(5.0));
same('isHeld()', false, $lease->isHeld());
$server->resume();
eventually('the thread frees all', fn () => $server->locks() === [], 15.0);
check('a second release() is an answer', is_bool($lease->release()));
same('a third one is false', false, $lease->release());

/* A section whose release fails throws nothing; the thread repeats it. */
$result = $lock->synchronized(['a', 'b'], function () use ($server) {
    $server->pause();
    return 5;
}, ttl: 60);
same('a section', 5, $result);
$server->resume();
eventually('the thread frees them', fn () => $server->locks() === [], 15.0);

done();
?>
--EXPECT--
ok
