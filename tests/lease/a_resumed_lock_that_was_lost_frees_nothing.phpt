--TEST--
A resumed lease that was lost by the clock frees nothing: somebody else may have resumed the lock with the same token.
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
        $token = $lock->lease('k', 60)->detach();
        $first = $lock->resume('k', $token, 0.05, renew: false);
        $second = (new RedisLock($server->dsn()))->resume('k', $token, 60, renew: $renews);
        usleep(60_000);
        $end($first);
        unset($first);
        is_whole("$what: the second", $server, $second);
        same("$what: release() of the second", true, $second->release());
    }
}

/* The end of a script is no better than that of an object. */
$token = $lock->acquire('k', 60);
$child = start_and_stop_at('$lease = (new RedisLock($argv[1]))->resume("k", $argv[2], 0.05, renew: false);', 'usleep(60_000);', [$server->dsn(), $token]);
$second = $lock->resume('k', $token, 60);
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
