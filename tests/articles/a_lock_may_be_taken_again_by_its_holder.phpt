--TEST--
Document 001: a re-entrant lock is one key and one token, and the outermost section frees it.
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
putenv('REDIS_URL=' . $server->dsn());
require __DIR__ . '/../../examples/from-the-articles/001-re-entrant.php';

same('keys after the example', [], $server->keys());

$monitor = $server->monitor();
(new Stock(['tea' => 1, 'rice' => 1]))->exchange('tea', 'rice', 1);
same('three sections are one SET and one release', [
    'SET stock:all TOKEN NX PX 10000',
    'EVALSHA SHA 3 stock:all stock:all::rl-wait stock:all::rl-wake TOKEN',
], $monitor->lines());

// The counter is in the process: the key is what any other client knows.
$lock = new RedisLock($server->dsn(), reentrant: true);
$other = new RedisLock($server->dsn());
$lock->synchronized('k', function (RedisLockLease $outer) use ($lock, $other, $server): void {
    $lock->synchronized('k', function (RedisLockLease $inner) use ($outer, $other, $server): void {
        same('the same token', $outer->token(), $inner->token());
        same('which is what the key holds', $outer->token(), $server->cmd('GET', 'k'));
        same('a client of another kind is refused', null,
            $server->cmd('SET', 'k', 'x', 'NX', 'PX', 1000));
        same('another object is refused', null, $other->acquire('k'));
    });
    same('after the inner section it is held', true, $outer->isHeld());
    same('and another is refused', null, $other->acquire('k'));
});
same('after the outer one it is free', [], $server->keys());

// An exception out of the inner section frees it only where the outer one ends.
$lock->synchronized('k', function (RedisLockLease $outer) use ($lock, $server): void {
    throws('the inner section', 'LogicException', '~oh~',
        fn () => $lock->synchronized('k', fn () => throw new LogicException('oh')));
    same('it is held', $outer->token(), $server->cmd('GET', 'k'));
});
same('keys', [], $server->keys());

// Without it, the holder is refused as everybody is.
$other->synchronized('k', fn () => throws('not re-entrant', 'RedisLockTimeoutException', '~~',
    fn () => $other->synchronized('k', fn () => print "not here\n")));

done();
?>
--EXPECT--
{"tea":6,"rice":0}
there is no more rice
{"tea":6,"rice":0}
ok
