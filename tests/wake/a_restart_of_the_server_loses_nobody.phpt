--TEST--
Waiters that were in the queue when the server was restarted queue again, and are woken.
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
$waiters = [];
hold($server, 'k');
for ($n = 1; $n <= 2; $n++) {
    $waiters[] = waiter($server->dsn(), 'k',
        then: fn ($lock, $token) => $lock->release('k', $token));
    queued($server, $n);
}
$server->restart();
$token = hold($server, 'another'); // and k is free now
$restarted = now();
foreach ($waiters as $waiter) {
    $result = $waiter->result();
    check('taken', $result['token'] !== null && $result['then'] === true, $result);
    check('soon', $result['at'] - $restarted <= slack(1.5), $result['at'] - $restarted);
}
$server->cmd('DEL', 'another');
eventually('no lock is left', fn () => $server->locks() === [], 0.5);

/* Held again at once. */
$waiters = [];
hold($server, 'k');
$waiter = waiter($server->dsn(), 'k');
queued($server, 1);
$server->kill();
usleep(300000); // in its delays
$server->start();
$token = RedisLock::token();
if ($server->cmd('SET', 'k', $token, 'NX', 'PX', 60000) === 'OK') {
    queued($server, 1);
    $released = now();
    same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
    $result = $waiter->result();
    check('taken', $result['token'] !== null && $result['token'] === $server->cmd('GET', 'k'),
        $result);
    check('within 1.1 s', $result['at'] - $released <= slack(1.1), $result['at'] - $released);
} else {
    matches('it was faster', TOKEN, (string) $waiter->result()['token']);
}

done();
?>
--EXPECT--
ok
