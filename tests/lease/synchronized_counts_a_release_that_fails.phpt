--TEST--
If the server hangs or is gone at the end of the section, the result is returned, and the failure is counted, not thrown.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$timeout = slack(0.2);
$lock = new RedisLock($server->dsn(), timeout: $timeout);
$failed = fn () => RedisLock::stats()['failed'];
$before = $failed();
$took = elapsed(fn () => $lock->synchronized('k', function () use ($server): string {
    $server->pause();
    return 'done';
}, 60), $result);
same('result', 'done', $result);
between('it took one timeout', 0, $timeout + slack(0.8), $took);
same('counted', 1, $failed() - $before);
$server->resume();
eventually('what was written is read', fn () => $server->keys() === [], 5.0);

$before = $failed();
$took = elapsed(fn () => $lock->synchronized('k', function () use ($server): string {
    $server->kill();
    return 'done';
}, 60), $result);
same('result', 'done', $result);
check('at once', $took < slack(2.0), $took);
same('counted', 1, $failed() - $before);

$server->start();
throws('the exception goes out', 'LogicException', '~mine~',
        fn () => $lock->synchronized('k', function () use ($server): void {
    $server->pause();
    throw new LogicException('mine');
}, 60));
$server->resume();

done();
?>
--EXPECT--
ok
