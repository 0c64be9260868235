--TEST--
The undo of a grant whose reply came too late wakes the next waiter.
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
$fake = fake_server([rule('SET', ['forward', wait_for(0.6), 'reply'], times: 1)], $server);
$slow = in_fork(function () use ($fake): void {
    throws('too late', 'RedisLockConnectionException', '~undo~',
        fn () => (new RedisLock($fake->dsn(), timeout: 0.1))->acquire('k'));
});
eventually('it was granted', fn () => $server->cmd('EXISTS', 'k') === 1);
$result = waiter($server->dsn(), 'k')->result();
woken('by the undo', $result);
reap($slow);

done();
?>
--EXPECT--
ok
