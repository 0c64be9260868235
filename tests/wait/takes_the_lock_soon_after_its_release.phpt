--TEST--
A waiter takes the lock soon after its release.
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
$lock = new RedisLock($server->dsn());
$token = $lock->acquire('k');
$start = now();
$holder = in_fork(function () use ($lock, $token): void {
    usleep(300000);
    same('release()', true, $lock->release('k', $token));
});
$mine = $lock->acquire('k', 20, 10);
$took = now() - $start;
matches('token', TOKEN, (string) $mine);
same('value', $mine, $server->cmd('GET', 'k'));
between('PTTL', 1, 20000, $server->cmd('PTTL', 'k'));
check('not before the release', $took >= 0.3, $took);
check('soon after it', $took < slack(2.5), $took);
reap($holder);
same('release()', true, $lock->release('k', $mine));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
