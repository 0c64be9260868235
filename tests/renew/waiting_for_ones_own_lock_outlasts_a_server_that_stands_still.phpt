--TEST--
If the server cannot say whether it has the lease of the waiting thread, the wait goes on until its deadline, as any other wait.
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
$timeout = round(room(0.3), 1);
$lock = new RedisLock($server->dsn(), timeout: $timeout, connectTimeout: $timeout);
$lease = $lock->lease('k', 60);
$pause = function (float $seconds, callable $then) use ($server): int {
    $server->pause();
    return in_fork(function () use ($server, $seconds, $then): void {
        usleep((int) ($seconds * 1e6));
        $server->resume();
        $then();
    });
};

$pausing = 8 / 3 * $timeout;
$start = now();
$child = $pause($pausing, fn () => $server->cmd('DEL', 'k'));
$token = $lock->acquire('k', wait: slack(6.0));
$took = now() - $start;
reap($child);
matches('the key was deleted, and the wait has the lock', TOKEN, (string) $token);
between('seconds', $pausing, slack(6.0), $took);
same('release()', true, $lock->release('k', (string) $token));
unset($lease);

/* As any other wait, this one ends with the failure at its deadline, or one timeout later. */
$lease = $lock->lease('k', 60);
foreach ([$timeout / 3, $timeout / 0.3] as $wait) {
    $child = $pause($wait + 10 * $timeout, fn () => null);
    $took = elapsed(fn () => throws("wait: $wait", 'RedisLockConnectionException',
        '~no answer within ' . preg_quote((string) $timeout) . ' s|connect~',
        fn () => $lock->acquire('k', wait: $wait)));
    between("wait: $wait: seconds", $wait, $wait + slack(1.0), $took);
    send_signal($child, SIGKILL);
    pcntl_waitpid($child, $status);
    OwnProcesses::remove($child);
    $server->resume();
}
throws('the server answers again', 'RedisLockException', '~would never end~',
    fn () => $lock->acquire('k', wait: 4));
same('release()', true, $lease->release());

done();
?>
--EXPECT--
ok
