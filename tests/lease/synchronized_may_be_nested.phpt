--TEST--
Sections of several keys may be nested, and each frees its own lock; the same key again is refused.
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
$result = $lock->synchronized('a', function (RedisLockLease $a) use ($lock, $server): array {
    $inner =
            $lock->synchronized('b', function (RedisLockLease $b) use ($lock, $server, $a): string {
        same('keys', ['0:a', '0:b'], $server->keys());
        throws('the same key', 'RedisLockTimeoutException', '~"a"~',
            fn () => $lock->synchronized('a', fn () => 1));
        return $a->key() . $b->key();
    });
    same('the inner one is free', ['0:a'], $server->keys());
    is_whole('the outer one', $server, $a);
    try {
        $lock->synchronized('c', fn () => throw new LogicException('inner'));
    } catch (LogicException) {
    }
    is_whole('the outer one', $server, $a);
    return [$inner];
});
same('result', ['ab'], $result);
same('keys', [], $server->keys());
$depth = 0;
$dive = function () use (&$dive, &$depth, $lock, $server): int {
    return ++$depth === 50 ? count($server->keys()) : $lock->synchronized("k$depth", $dive);
};
same('50 of them', 50, $lock->synchronized('k', $dive));
$dive = null; // it holds itself
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
