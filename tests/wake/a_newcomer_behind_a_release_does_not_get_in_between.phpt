--TEST--
While there are waiters, a SET right after the release never wins.
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

/* Both travel in one write, so that nothing can come between them. */
$server = start_server();
$lock = new RedisLock($server->dsn());
$server->cmd('SCRIPT', 'FLUSH');
$monitor = $server->monitor();
$lock->release('warm', $lock->acquire('warm'));
$script = $monitor->named('EVAL')[0]['args'][1];

const ROUNDS = 50;
$token = hold($server, 'k');
$waiter = in_fork(function () use ($server): void {
    $lock = new RedisLock($server->dsn());
    $client = $server->newClient();
    for ($round = 0; $round < ROUNDS; $round++) {
        $token = $lock->acquire('k', wait: 20);
        $client->cmd('RPUSH', 'won', $token);
        $client->cmd('BLPOP', 'go on', 20);
    }
});
$newcomer = $server->newClient();
$stolen = 0;
for ($round = 0; $round < ROUNDS; $round++) {
    eventually('somebody waits', fn () => $server->cmd('EXISTS', 'k::rl-wait') === 1);
    queued($server, 1);
    $newcomer->pipeline(['EVAL', $script, 3, 'k', 'k::rl-wait', 'k::rl-wake', $token],
        ['SET', 'k', 'newcomer', 'NX', 'PX', 60000]);
    same('release', 1, $newcomer->read());
    $stolen += $newcomer->read() === null ? 0 : 1;
    $won = $server->newClient()->cmd('BLPOP', 'won', 5);
    same('the waiter has it', $server->cmd('GET', 'k'), $won[1] ?? null) || exit;
    $token = hold($server, 'k');
    $server->cmd('RPUSH', 'go on', 1);
}
same('times that the newcomer got in between', 0, $stolen);
reap($waiter);

done();
?>
--EXPECT--
ok
