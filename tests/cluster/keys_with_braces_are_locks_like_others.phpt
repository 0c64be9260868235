--TEST--
Keys with tags and braces are locks; waiters are woken where helper keys can be in the slot.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';
require __DIR__ . '/../inc/waiter.inc';

$cluster = start_cluster();
$lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
foreach ([
    /* key => the key of the waiters' marks; null = the wait polls */
    'plain' => '{plain}::rl-wait',
    'a{b' => '{a{b}::rl-wait',
    '{user:7}:cart' => '{user:7}:cart::rl-wait',
    'cart{user:7}' => 'cart{user:7}::rl-wait',
    '{user:7}' => '{user:7}:rl-wait',
    'user:7' => '{user:7}::rl-wait',
    '{{a}' => '{{a}:rl-wait',
    '}{a}' => '}{a}::rl-wait',
    'user:{}' => null,
    'a}b' => null,
    '{}x' => null,
    'x{}{y}' => null,
] as $key => $marks) {
    $token = $lock->acquire($key, 30);
    same("$key: its own node has it", $token, $cluster->ask(
        $cluster->firstOwner((int) $cluster->ask(0, 'CLUSTER', 'KEYSLOT', $key)), 'GET', $key));
    $waiter = waiter($cluster->dsn(), $key, ['ttl' => 30]);
    if ($marks !== null) {
        same("$key: the marks are in its slot", slot_of($key), slot_of($marks));
        eventually("$key: it waits", fn () => $cluster->cmd('ZCARD', $marks) === 1);
        eventually("$key: it is in the queue", fn () =>
            (int) $cluster->client()->info('clients')['blocked_clients'] === 1);
    } else {
        usleep((int) (1e6 * room(0.3)));
        same("$key: it is in no queue", 0,
            (int) $cluster->client()->info('clients')['blocked_clients']);
    }
    $watch = new Stopwatch();
    $at = now();
    same("$key: release()", true, $lock->release($key, $token));
    $result = $waiter->result();
    matches("$key: it gets the lock", TOKEN, (string) $result['token']);
    same("$key: woken", $marks === null ? 0 : 1, $result['stats']['wake_ups']);
    same("$key: polled", $marks === null ? 1 : 0, $result['stats']['wake_failures']);
    $watch->within("$key: in time", slack($marks === null ? 0.4 : 0.1), 0, $result['at'] - $at);
    same("$key: freed", true, $lock->release($key, $result['token']));
}

/* The waiters of the two locks, which are in one slot, are not woken for each other. */
$tokens = [];
$waiters = [];
foreach (['{w}', 'w'] as $n => $key) {
    $tokens[$key] = $lock->acquire($key, 30);
    $waiters[$key] = waiter($cluster->dsn(), $key, ['ttl' => 30]);
    eventually("$key: it is in the queue", fn () =>
        (int) $cluster->client()->info('clients')['blocked_clients'] === $n + 1);
}
foreach (['w', '{w}'] as $key) {
    same("$key: release()", true, $lock->release($key, $tokens[$key]));
    $result = $waiters[$key]->result();
    woken($key, $result);
    same("$key: freed", true, $lock->release($key, $result['token']));
}
same('no lock is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
