--TEST--
release() of several keys is true if all of them were held, also while releases are held back. loss() is the same as for one key, after a failure, too, and does not depend on which key was lost.
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

/* A server that did not answer the release of an object gets no other for a second; release() asks
 * it nevertheless. */
foreach ([['a', 'b'], 'a'] as $keys) {
    $lock = new RedisLock($server->dsn(), timeout: room(0.4));
    $slow = $lock->lease('slow', 60);
    $lease = $lock->lease($keys, 60);
    $server->pause();
    unset($slow);
    $server->resume();
    same('release() during the back-off', true, $lease->release());
    eventually('keys', fn () => $server->locks() === [], 10.0);
}

/* The server comes back when release() has given up, or soon after. */
pcntl_async_signals(true);
pcntl_signal(SIGALRM, fn () => $server->resume());
foreach ([['a', 'b', 'c'], 'a'] as $keys) {
    $what = show($keys);
    $lock = new RedisLock($server->dsn(), timeout: 0.7);
    $lease = $lock->lease($keys, 60);
    $server->pause();
    pcntl_alarm(1);
    throws("$what: release()", 'RedisLockConnectionException',
        '~no answer within 0\.7 s \(timeout\); the command was sent, and its outcome is unknown~',
        fn () => $lease->release(), slack(5.0));
    same("$what: isHeld()", false, $lease->isHeld());
    eventually("$what: the server is back", fn () => $server->isRunning(), 5.0);
    eventually("$what: the keys are free", fn () => $server->locks() === [], 15.0);
    same("$what: loss()", RedisLockLoss::Released, $lease->loss());
    same("$what: a second release()", false, $lease->release());
    same("$what: loss() after it", RedisLockLoss::Released, $lease->loss());
}

/* Which of the keys is lost makes no difference. */
$lock = new RedisLock($server->dsn());
foreach (['a', 'b', 'c'] as $key) {
    $lease = $lock->lease(['a', 'b', 'c'], room(0.6));
    $before = lost();
    $server->cmd('SET', $key, 'another', 'PX', 60000);
    eventually("$key: the thread finds the loss", fn () => lost() > $before
        || RedisLock::stats()['held'] < 3, 5.0);
    same("$key: release()", false, $lease->release());
    same("$key: loss()", RedisLockLoss::TakenOver, $lease->loss());
    same("$key: the other holder keeps its lock", 'another', $server->cmd('GET', $key));
    $server->cmd('DEL', $key);
    same("$key: the others are free", [], $server->locks());

    $lease = $lock->lease(['a', 'b', 'c'], 60);
    $server->cmd('DEL', $key);
    same("$key deleted: release()", false, $lease->release());
    same("$key deleted: loss()", RedisLockLoss::Released, $lease->loss());
    same("$key deleted: keys", [], $server->locks());
}

/* A key that was lost before a release that failed for another key stays lost. */
if (topology() === null) {
    $lease = $lock->lease(['a', 'b'], 60);
    $server->cmd('DEL', 'a');
    $server->cmd('ACL', 'SETUSER', 'default', 'resetkeys', '~a*');
    $thrown = throws('a key without rights', 'RedisLockServerException', '~NOPERM~',
        fn () => $lease->release());
    same('getKey()', 'b', $thrown->getKey());
    $server->cmd('ACL', 'SETUSER', 'default', 'allkeys');
    same('the second release()', false, $lease->release());
    same('keys at the end', [], $server->locks());
}

done();
?>
--EXPECT--
ok
