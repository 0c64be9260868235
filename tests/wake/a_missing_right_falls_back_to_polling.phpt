--TEST--
Without a right for wake-ups, waits poll and releases free, and stats() counts it.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the rights name the helper keys of one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

const ALL = ['set', 'get', 'del', 'exists', 'pttl', 'pexpire', 'eval', 'evalsha', 'client|setname',
    'time', 'zadd', 'zrem', 'zcard', 'zcount', 'zscore', 'zremrangebyscore',
    'llen', 'lpush', 'blpop'];
$server = start_server();
/* Whose fallbacks are counted: the waiter's, the releasing one's. */
$users = ['blpop' => [1, 0], 'lpush' => [0, 1], 'llen' => [0, 1], 'zadd' => [1, 0],
    'zcard' => [0, 0], 'zcount' => [0, 1],
    'zscore' => [0, 0], 'zremrangebyscore' => [0, 0], 'time' => [1, 0],
    'zrem' => [0, 0], 'keys' => [1, 1], 'marks' => [1, 1], 'tickets' => [1, 1]];
$patterns = ['keys' => ['~keys'], 'marks' => ['~marks', '~*::rl-wake'],
    'tickets' => ['~tickets', '~*::rl-wait']];
$waiters = $holders = [];
foreach ($users as $user => $fallbacks) {
    $rights = array_map(fn ($right) => "+$right", array_diff(ALL, [$user]));
    $server->cmd('ACL', 'SETUSER', $user, 'on', '>pw', 'resetchannels', '-@all',
        ...($patterns[$user] ?? ['~*']), ...$rights);
    $dsn = $server->dsn('', "$user:pw");
    $holders[$user] = new RedisLock($dsn);
    $tokens[$user] = $holders[$user]->acquire($user);
    matches("$user: acquire()", TOKEN, (string) $tokens[$user]);
    $waiters[$user] = waiter($dsn, $user);
}
usleep((int) (1e6 * room(0.7))); // delays have grown to their maximum
foreach ($users as $user => [$waits, $releases]) {
    $before = RedisLock::stats()['wake_failures'];
    $released = now();
    same("$user: release()", true, $holders[$user]->release($user, $tokens[$user]));
    $seen = RedisLock::stats()['wake_failures'] - $before;
    $result = $waiters[$user]->result();
    matches("$user: token", TOKEN, (string) ($result['token'] ?? $result['error']));
    $limit = $waits > 0 ? 0.26 : 1.1;
    check("$user: within $limit s", $result['at'] - $released <= $limit + slack(0.3),
        $result['at'] - $released);
    check("$user: fallbacks", ($result['stats']['wake_failures'] > 0) >= ($waits > 0)
        && $seen >= ($waits > 0 ? 0 : $releases), [$result['stats']['wake_failures'], $seen]);
    same("$user: release()", true, $holders[$user]->release($user, $result['token']));
}
eventually('no lock is left', fn () => $server->locks() === [], 0.5);

/* The waiter has all rights, the releaser does not. */
foreach ($users as $user => [, $releases]) {
    $holders[$user] = new RedisLock($server->dsn('', "$user:pw"), persistent: false);
    $tokens[$user] = $holders[$user]->acquire($user);
    $waiters[$user] = waiter($server->dsn(), $user);
}
queued($server, count($users));
$released = [];
foreach ($users as $user => [, $releases]) {
    $before = RedisLock::stats()['wake_failures'];
    $released[$user] = now();
    same("$user: release()", true, $holders[$user]->release($user, $tokens[$user]));
    same("$user: fallbacks of a release", $releases, RedisLock::stats()['wake_failures'] - $before);
}
foreach ($users as $user => [, $releases]) {
    $result = $waiters[$user]->result();
    matches("$user: token", TOKEN, (string) ($result['token'] ?? $result['error']));
    check("$user: within 1.1 s", $result['at'] - $released[$user] <= slack(1.1),
        $result['at'] - $released[$user]);
    same("$user: no fallback of a wait", 0, $result['stats']['wake_failures']);
}

done();
?>
--EXPECT--
ok
