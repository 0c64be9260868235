--TEST--
Waiters of keys with a prefix, of any bytes, and of 64 KiB are woken.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('waits for a key with an empty tag poll');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
foreach ([
    ['', 'plain'],
    ['app:', 'with a prefix'],
    ["\0\r\n", "\xff\0 \"'{}\r\n*3\r\n\$3\r\n"],
    ['', '{tag}:k'],
    ['', 'k{'],
    [str_repeat('p', 1000), str_repeat("\x80", 64536)],
] as [$prefix, $key]) {
    $lock = new RedisLock($server->dsn(), $prefix);
    $token = $lock->acquire($key);
    $waiter = waiter($server->dsn(), $key, ['ttl' => 60], ['prefix' => $prefix]);
    queued($server, 1);
    same('one of the helper keys', 1, $server->cmd('EXISTS', "$prefix$key::rl-wait"));
    same('release()', true, $lock->release($key, $token));
    $result = $waiter->result();
    woken(substr("$prefix$key", 0, 20), $result);
    same('value', $result['token'], $server->cmd('GET', "$prefix$key"));
    same('release()', true, $lock->release($key, $result['token']));
    same('keys', [], $server->keys());
}

done();
?>
--EXPECT--
ok
