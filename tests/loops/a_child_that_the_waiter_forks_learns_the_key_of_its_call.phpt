--TEST--
If the waiter forks, the call throws in the child; its exception names the key without the prefix, and none where the call is about no lock.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), 'shop:', timeout: 60.0);
$server->cmd('SET', 'shop:k', 'x', 'PX', 600000);
same('the listing', ['k'], $lock->findKeys());
$child = null;
RedisLock::waitWith(function () use (&$child, $server): void {
    if ($child === null) {
        $child = pcntl_fork();
        if ($child !== 0) {
            OwnProcesses::add($child);
            $server->resume();
        }
    }
    usleep(2000);
});
$calls = [
    'findKeys' => [fn () => $lock->findKeys(), null],
    'inspectAll' => [fn () => $lock->inspectAll(['k', 'l']), 'k'],
    'isLocked' => [fn () => $lock->isLocked('k'), 'k'],
];
foreach ($calls as $name => [$call, $key]) {
    $child = null;
    $thrown = null;
    $server->pause();
    try {
        $call();
    } catch (RedisLockException $thrown) {
    }
    if ($child === 0) {
        same("$name in the child: the key", $key, $thrown?->getKey());
        matches("$name in the child", '~forked during this call~', (string) $thrown?->getMessage());
        exit(Checks::$failed > 0 ? 8 : 0);
    }
    same("$name in the parent", null, $thrown);
    check("$name: it was forked", $child > 0);
    reap($child);
}

done();
?>
--EXPECT--
ok
