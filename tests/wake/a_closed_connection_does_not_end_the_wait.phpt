--TEST--
If the connection in the queue, or the connection of the looks, is closed, the waiter queues again and is woken.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test counts the connections to one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$close = function (bool $blocked) use ($server): int {
    $closed = 0;
    foreach ($server->client()->clients() as $client) {
        if (str_contains($client['flags'], 'b') === $blocked) {
            $closed += $server->cmd('CLIENT', 'KILL', 'ID', $client['id']);
        }
    }
    return $closed;
};
foreach ([null, 'mine'] as $own) {
    $lock->close();
    $token = hold($server, 'k');
    $waiter = waiter($server->dsn(), 'k', ['token' => $own]);
    for ($i = 0; $i < 2; $i++) {
        queued($server, 1);
        same('the one in the queue', 1, $close(true));
        eventually('it comes again',
            fn () => (int) $server->client()->info('clients')['blocked_clients'] === 1);
        usleep(300000);
    }
    eventually('it has looked', fn () => count($server->client()->clients()) === 2);
    same('the one of the looks', 1, $close(false));
    $released = now();
    same('release()', true, $lock->release('k', $token));
    $result = $waiter->result();
    check('taken', $result['token'] !== null && $result['token'] === $server->cmd('GET', 'k'),
        $result);
    check('within 1.1 s', $result['at'] - $released <= slack(1.1), $result['at'] - $released);
    same('no fallback', 0, $result['stats']['wake_failures']);
    same('release()', true, $lock->release('k', (string) $result['token']));
    eventually('no lock is left', fn () => $server->locks() === [], 0.5);
}

done();
?>
--EXPECT--
ok
