--TEST--
If the server has no connection left for the queue, or its answers there do not arrive, the wait polls.
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

/* A server with room for one more connection: the queue gets none. */
$server = start_server(['maxclients' => 12]);
$token = hold($server, 'k');
$others = [];
try {
    for ($n = 0; $n < 20; $n++) {
        $client = $server->newClient();
        $client->cmd('PING');
        $others[] = $client;
    }
} catch (RuntimeException) {
}
array_pop($others)->close();
$waiter = waiter($server->dsn(), 'k');
usleep((int) (1e6 * room(0.7)));
same('not in the queue', 0, (int) $server->client()->info('clients')['blocked_clients']);
$released = now();
same('DEL', 1, $server->cmd('DEL', 'k'));
$result = $waiter->result();
matches('token', TOKEN, (string) ($result['token'] ?? $result['error']));
check('soon', $result['at'] - $released <= 0.26 + slack(0.3), $result['at'] - $released);
same('it fell back', 1, $result['stats']['wake_failures']);
$server->stop();

/* The connection in the queue is dead, and neither side knows it. */
$server = start_server();
$fake = fake_server([rule('BLPOP', ['hang'])], $server);
$token = hold($server, 'k');
$waiter = waiter($fake->dsn(), 'k');
eventually('it waits', fn () => marked($server, 'k') !== []);
usleep(100000);
$released = now();
same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
$result = $waiter->result();
matches('token', TOKEN, (string) ($result['token'] ?? $result['error']));
check('within 1.2 s', $result['at'] - $released <= slack(1.2), $result['at'] - $released);
same('value', $result['token'], $server->cmd('GET', 'k'));
$server->cmd('DEL', 'k');

/* The answer to the look does not come; the queue goes on. */
$fake->rules([]);
$lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
hold($server, 'k', (int) (1000 * room(0.2)));
matches('scripts are loaded', TOKEN, (string) $lock->acquire('k', 30, slack(5.0)));
undisturbed(0.1, function () use ($server, $fake): void {
    $fake->rules([]);
    $token = hold($server, 'k');
    $fake->rules([rule('EVALSHA', ['hang'], skip: 1)]);
    $waiter = waiter($fake->dsn(), 'k', options: ['timeout' => min(room(0.2), 0.4)]);
    queued($server, 1);
    usleep(1300000); // the mark, which the look should renew, lasts for 2 s
    $released = now();
    same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
    $result = $waiter->result();
    matches('token', TOKEN, (string) ($result['token'] ?? $result['error']));
    check('at once', $result['at'] - $released <= slack(0.5) && $result['stats']['wake_ups'] === 1,
        $result);
});

done();
?>
--EXPECT--
ok
