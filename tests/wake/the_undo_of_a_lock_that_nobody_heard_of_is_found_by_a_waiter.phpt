--TEST--
A waiter finds the lock at its next look after the undo of a grant whose reply came too late.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$fake = fake_server([rule('SET', ['forward', wait_for(room(0.6)), 'reply'], times: 1)], $server);
$slow = in_fork(function () use ($fake): void {
    throws('too late', 'RedisLockConnectionException', '~undo~',
        fn () => (new RedisLock($fake->dsn(), timeout: room(0.1)))->acquire('k'));
});
eventually('it was granted', fn () => $server->cmd('EXISTS', 'k') === 1);
$begin = now();
$result = waiter($server->dsn(), 'k')->result();
matches('token', TOKEN, (string) $result['token']);
/* The undo comes 0.6 s after the SET. The waiter probes at once, and then every 0.85 s. */
check('within 1.1 s', $result['at'] - $begin <= slack(0.6 + 1.1), $result['at'] - $begin);
check('a later look found it', $result['stats']['probes'] > 1, $result['stats']);
reap($slow);

done();
?>
--EXPECT--
ok
