--TEST--
If an administrator frees the lock, or another holder takes it, the section ends in a RedisLockLostException.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$admin = new RedisLock($server->dsn(), persistent: false);
$ways = [
    'forceRelease()' => fn () => $admin->forceRelease('k'),
    'deleted' => fn () => $server->cmd('DEL', 'k'),
    'taken over' => fn () => $server->cmd('SET', 'k', 'somebody', 'PX', 60000),
    'taken over by a RedisLock' => fn () => $admin->forceRelease('k') && $admin->acquire('k', 60),
];
foreach ($ways as $what => $way) {
    $lost = throws($what, 'RedisLockLostException', '~"k" was lost~',
            fn () => $lock->synchronized('k', function () use ($way, $what): string {
        $way();
        return "result of $what";
    }, 60));
    same("$what: getResult()", "result of $what", $lost->getResult());
    /* The release does not learn which of the two it was. */
    matches("$what: message", '~deleted at the server or belonged to another holder~', $lost->getMessage());
    same("$what: getLoss()", RedisLockLoss::Deleted, $lost->getLoss());
    same("$what: what others have stays", str_contains($what, 'over') ? ['0:k'] : [],
        $server->keys());
    $server->cmd('FLUSHALL');
}
throws('noticed by verify()', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function ($lease) use ($server): void {
    $server->cmd('DEL', 'k');
    same('verify()', false, $lease->verify());
}, 60));

done();
?>
--EXPECT--
ok
