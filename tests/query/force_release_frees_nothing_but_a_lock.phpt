--TEST--
forceRelease() frees only strings: any other type stays, and the exception names it.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$made = [
    'hash' => ['HSET', 'k', 'f', 'v'],
    'list' => ['RPUSH', 'k', 'v'],
    'set' => ['SADD', 'k', 'v'],
    'zset' => ['ZADD', 'k', 1, 'v'],
    'stream' => ['XADD', 'k', '*', 'f', 'v'],
];
foreach ([true, false] as $wake) {
    $lock = new RedisLock($server->dsn(), wake: $wake);
    foreach ($made as $type => $command) {
        $server->cmd(...$command);
        /* Marked as waited for, it must not be replaced by a reservation, either. */
        $server->cmd('ZADD', 'k::rl-wait', 1 << 52, 'w');
        $error = throws($type, 'RedisLockServerException', "~WRONGTYPE the key holds a $type \\(~",
            fn () => $lock->forceRelease('k'));
        same("$type: code", 'WRONGTYPE', $error->getErrorCode());
        same("$type: it stays", $type, $server->cmd('TYPE', 'k'));
        $server->cmd('DEL', 'k');
        $server->cmd('DEL', 'k::rl-wait');
    }
    $server->cmd('SET', 'k', 'somebody');
    same('a string', true, $lock->forceRelease('k'));
}
same('nothing is left', [], $server->keys());

/* A user without the right to ask for the type, or to read the key, frees nothing either. */
foreach (['type' => '~WRONGTYPE~', 'get' => '~NOPERM|permission|ACL|can.t~'] as $right => $message) {
    $server->cmd('ACL', 'SETUSER', 'u', 'reset', 'on', '>pw', '~*', '+@all', "-$right");
    $server->cmd('HSET', 'k', 'f', 'v');
    $lock = new RedisLock($server->dsn('', 'u:pw'));
    throws("without $right", 'RedisLockServerException', $message,
        fn () => $lock->forceRelease('k'));
    same("without $right: it stays", 'hash', $server->cmd('TYPE', 'k'));
}

done();
?>
--EXPECT--
ok
