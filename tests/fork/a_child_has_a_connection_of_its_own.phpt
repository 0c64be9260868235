--TEST--
A forked child uses a connection of its own, and the parent keeps its connection.
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
$token = $lock->acquire('parent', 60);
$before = RedisLock::stats();
$received = $server->connectionsReceived();
$pid = in_fork(function () use ($lock, $server, $token): void {
    same('its counters begin at zero', 0, array_sum(numbers()));
    $mine = $lock->acquire('child', 60);
    matches('acquire()', TOKEN, $mine);
    same('two connections', 2, count($server->newClient()->clients()));
    same('connects', 1, RedisLock::stats()['connects']);
    same('the lock of the parent is taken', null, $lock->acquire('parent'));
    same('release()', true, $lock->release('child', $mine));
});
reap($pid);
same('the lock of the parent is whole', $token, $server->cmd('GET', 'parent'));
same('release()', true, $lock->release('parent', $token));
$after = RedisLock::stats();
same('the connection of the parent is the old one', [0, 0],
    [$after['connects'] - $before['connects'], $after['reconnects'] - $before['reconnects']]);
eventually('the child took its one with it', fn () => count($server->client()->clients()) === 1);

done();
?>
--EXPECT--
ok
