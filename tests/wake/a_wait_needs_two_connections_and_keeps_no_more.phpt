--TEST--
Waits use two connections, leave no descriptor behind, and with persistent: false none at all.
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
$lock = new RedisLock($server->dsn(), retryDelay: 0.001, retryMaxDelay: 0.002);
$round = function (RedisLock $lock) use ($server): void {
    $server->cmd('SET', 'k', 'somebody', 'PX', 60000);
    same('in vain', null, $lock->acquire('k', wait: 0.02));
    $server->cmd('PEXPIRE', 'k', 10);
    matches('won', TOKEN, (string) $lock->acquire('k', 1, 10));
    hold($server, 'k', 10);
    matches('won', TOKEN, (string) $lock->acquire('k', 1, 10, null));
    hold($server, 'k', 10);
    same('an own token', 'mine', $lock->acquire('k', 1, 10, 'mine'));
    hold($server, 'k', 60000);
    same('an own token in vain', null, $lock->acquire('k', 1, 0.02, 'mine'));
};
$round($lock);
$before = count(glob('/proc/self/fd/*'));
for ($i = 0; $i < 10; $i++) {
    $round($lock);
    $other = new RedisLock($server->dsn(), persistent: false);
    $round($other);
    unset($other);
}
check('descriptors', count(glob('/proc/self/fd/*')) <= $before,
    [$before, count(glob('/proc/self/fd/*'))]);
eventually('two connections at most', fn () => count($server->client()->clients()) <= 2);
$lock->close();
eventually('none after close()', fn () => $server->client()->clients() === []);

done();
?>
--EXPECT--
ok
