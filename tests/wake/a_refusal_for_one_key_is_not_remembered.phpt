--TEST--
A server that refuses the helper keys of one key (rights by pattern, slots of a cluster) wakes the waiters of another key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the test starts a cluster itself');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';
require __DIR__ . '/../inc/members.inc';
require __DIR__ . '/../inc/cluster.inc';

/**
 * On the same connections, in this process: a wait for $refused polls, and takes the lock when it
 * is released; then a wait for $allowed is woken.
 */
function waits(string $what, RedisLock $lock, string $dsn, string $refused, string $allowed): void
{
    foreach ([$refused, $allowed, $refused] as $key) {
        $token = $lock->acquire($key, 30);
        $releaser =
            start_php(
                '$lock = new RedisLock($argv[1]); echo "here\n"; fgets(STDIN); usleep((int) $argv[4]); echo (int) $lock->release($argv[2], $argv[3]);',
            [$dsn, $key, $token, 1e6 * room(0.3)]);
        $releaser->expect('~here~');
        $before = RedisLock::stats();
        $releaser->tell('go');
        $won = $lock->acquire($key, 30, 10);
        $after = RedisLock::stats();
        check("$what: \"$key\" is had", $won !== null);
        matches("$what: \"$key\" was released", '~1$~', $releaser->output());
        $isWoken = $key === $allowed;
        same("$what: \"$key\": woken", $isWoken ? 1 : 0, $after['wake_ups'] - $before['wake_ups']);
        same("$what: \"$key\": polled", $isWoken ? 0 : 1,
            $after['wake_failures'] - $before['wake_failures']);
        same("$what: \"$key\" can be released", true, $lock->release($key, (string) $won));
    }
}

$server = start_server();
$server->cmd('ACL', 'SETUSER', 'u', 'on', '>pw', '~plain', '~open*', '+@all');
$dsn = $server->dsn('', 'u:pw');
waits('rights', new RedisLock($dsn), $dsn, 'plain', 'open');
$leases = [];
$lock = new RedisLock($dsn);
foreach (['plain', 'open1', 'open2'] as $key) {
    $leases[] = $lock->lease($key, 30);
}
$waiter = waiter($dsn, 'open2', ['wait' => 10]);
queued($server, 1);
$start = now();
unset($leases, $lock);
$result = $waiter->result();
check('a waiter is woken', $result['token'] !== null && $result['stats']['wake_ups'] === 1,
    $result);
same('keys', ['0:open2'],
    array_values(array_diff($server->keys(), ['0:open2::rl-wake', '0:open2::rl-wait'])));

$node = start_cluster(1)->nodes[0];
waits('slots', new RedisLock($node->dsn()), $node->dsn(), 'plain', '{tag}');

done();
?>
--EXPECT--
ok
