--TEST--
A handler may wait for another lock, with the same object, while its process waits for one, and both are woken.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
[$outer, $inner] = [hold($server, 'outer'), hold($server, 'inner')];
pcntl_async_signals(true);
$won = null;
$parent = getmypid();
pcntl_signal(SIGUSR1, function () use ($lock, &$won): void {
    $won = $lock->acquire('inner', 60, 20);
});
$releases = in_fork(function () use ($server, $outer, $inner, $parent): void {
    $lock = new RedisLock($server->dsn());
    queued($server, 1);
    send_signal($parent, SIGUSR1);
    queued($server, 2);
    same('release()', true, $lock->release('outer', $outer)); // won while PHP is in the handler
    eventually('the outer wait has won',
        fn () => !in_array($server->cmd('GET', 'outer'), ['', $outer], true));
    usleep(100000);
    same('release()', true, $lock->release('inner', $inner));
});
$before = RedisLock::stats();
$token = $lock->acquire('outer', 60, 20);
$after = RedisLock::stats();
reap($releases);
matches('outer', TOKEN, (string) $token);
matches('inner', TOKEN, (string) $won);
same('values', [$token, $won], $server->cmd('MGET', 'outer', 'inner'));
same('woken', 2, $after['wake_ups'] - $before['wake_ups']);
/* Each wait probes once before it queues. */
check('not by looks', $after['probes'] - $before['probes'] <= 2 + 1 + slack(1),
    $after['probes'] - $before['probes']);
same('release()', [true, true], [$lock->release('outer', $token), $lock->release('inner', $won)]);
same('keys', [], $server->keys());

/* The inner one gives up; the outer one keeps its place. */
[$outer, $inner] = [hold($server, 'outer'), hold($server, 'inner')];
pcntl_signal(SIGUSR1, function () use ($lock, $outer, &$won): void {
    $won = $lock->acquire('inner', 60, 0.2);
    same('release()', true, $lock->release('outer', $outer));
});
$sender = signal_later(SIGUSR1, room(0.2));
$token = $lock->acquire('outer', 60, 20);
$sender->finish();
matches('outer', TOKEN, (string) $token);
same('inner', null, $won);

done();
?>
--EXPECT--
ok
