--TEST--
Many processes that want one lock as a lease get it one after the other, in order of arrival.
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
$lease = $lock->lease('k', 60);
$log = [];
for ($n = 0; $n < 5; $n++) {
    $forks[] = in_fork(function () use ($server, $n): void {
        $lease = (new RedisLock($server->dsn()))->lease('k', 60, slack(20.0));
        check('it has it', $lease !== null && $lease->isHeld());
        check('waited()', $lease->waited() > 0.0);
        $server->newClient()->cmd('RPUSH', 'log', $n);
    });
    queued($server, $n + 1);
}
unset($lease);
array_map(reap(...), $forks);
same('order', ['0', '1', '2', '3', '4'], $server->cmd('LRANGE', 'log', 0, -1));
same('keys', ['0:log'], $server->locks());

done();
?>
--EXPECT--
ok
