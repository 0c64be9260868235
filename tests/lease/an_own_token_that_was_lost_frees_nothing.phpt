--TEST--
A lease with a caller's own token that was lost by the clock frees nothing, because another holder may have the lock with the same token.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$ttl = room(0.05);
$ends = [
    'unset()' => function (RedisLockLease $lease): void {
    },
    'release()' => function (RedisLockLease $lease): void {
        same('release()', false, $lease->release());
    },
    'a look before the end' => function (RedisLockLease $lease): void {
        same('isHeld()', false, $lease->isHeld());
    },
];
foreach ($ends as $what => $end) {
    foreach ([false, true] as $renews) {
        undisturbed(0.02, function () use ($lock, $server, $ttl, &$first): void {
            $server->cmd('DEL', 'k');
            $first = $lock->lease('k', $ttl, renew: false, token: 'a job');
        });
        usleep((int) (1.2e6 * $ttl));
        $second = (new RedisLock($server->dsn()))->lease('k', 60, renew: $renews, token: 'a job');
        $end($first);
        $first = null;
        is_whole("$what: the second", $server, $second);
        same("$what: release() of the second", true, $second->release());
    }
}

/* The end of a script is no better than that of an object. */
$child =
    start_and_stop_at(
        '$lock = new RedisLock($argv[1]);
        $lease = $lock->lease("k", (float) $argv[2], renew: false, token: "a job");
        usleep((int) (1.2e6 * $argv[2]));', '', [$server->dsn(), 4 * $ttl]);
$second = $lock->lease('k', 60, token: 'a job');
$child->tell('go on');
same('status of the child', 0, $child->status());
is_whole('behind the end of a script', $server, $second);

/* While it is held it frees the lock, as any lease. */
unset($second);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
