--TEST--
A signal handler that releases the other lease of a key while release() asks the server leaves no key locked.
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
$lock = new RedisLock($server->dsn(), timeout: room(5.0), reentrant: true);
pcntl_async_signals(true);
foreach ([['a', 'b'], ['b', 'c'], ['a', 'b', 'c']] as $keys) {
    $what = implode(', ', $keys);
    $other = $lock->lease('b', 10);
    $lease = $lock->lease($keys, 10);
    $said = null;
    pcntl_signal(SIGALRM, function () use ($server, $other, &$said): void {
        $server->resume();
        $said = $other->release();
    });
    $server->pause();
    pcntl_alarm(1);
    same("$what: release()", true, $lease->release());
    same("$what: the handler's release()", true, $said);
    same("$what: isHeld()", [false, false], [$lease->isHeld(), $other->isHeld()]);
    eventually("$what: keys", fn () => $server->locks() === [], 5.0);
}

/* A handler that forks: the child sends nothing, and frees nothing. */
$lock = new RedisLock($server->dsn(), timeout: room(5.0));
$lease = $lock->lease(['a', 'b', 'c'], 10);
$pid = 0;
pcntl_signal(SIGALRM, function () use ($server, &$pid): void {
    $pid = in_fork(function (): void {
        same('the child: late releases', 0, RedisLock::stats()['late_releases']);
    });
    $pid === 0 || $server->resume();
});
$parent = getmypid();
$server->pause();
pcntl_alarm(1);
same('a fork: release()', true, $lease->release());
reap($pid);
same('a fork: keys', [], $server->locks());

done();
?>
--EXPECT--
ok
