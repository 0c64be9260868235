--TEST--
Sections of synchronized() nest on one key, and only the outer one frees the lock.
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
$lock = new RedisLock($server->dsn(), reentrant: true);
$held = fn () => $server->cmd('EXISTS', 'k') === 1;
$seen = $lock->synchronized('k', function (RedisLockLease $outer) use ($lock, $held): array {
    $inner = $lock->synchronized('k',
        fn (RedisLockLease $lease) => [$lease->token() === $outer->token(), $held()]);
    throws('a section that throws', 'LogicException', '~inner~',
        fn () => $lock->synchronized('k', fn () => throw new LogicException('inner')));
    return [$inner, $held(), $outer->isHeld()];
});
same('inside', [[true, true], true, true], $seen);
same('keys', [], $server->keys());

$thrown = throws('lost inside', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function () use ($lock, $server): int {
    return $lock->synchronized('k', function () use ($server): int {
        $server->cmd('DEL', 'k');
        usleep(1000);
        return 7;
    });
}));
same('result', 7, $thrown?->getResult());

$plain = new RedisLock($server->dsn());
throws('without the option', 'RedisLockTimeoutException', '~"k"~',
    fn () => $plain->synchronized('k', fn () => $plain->synchronized('k', fn () => 1)));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
