--TEST--
Each name in memory:// is a server of its own, which all objects of the process share, and no other process; a forked child cannot use its parent's.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';
require __DIR__ . '/../inc/child.inc';

$token = (new RedisLock('memory://shop', 'a:'))->acquire('k', 60);
same('another object', $token, (new RedisLock('memory://shop'))->owner('a:k'));
foreach (['memory://', 'memory://Shop', 'memory://shop2'] as $dsn) {
    same($dsn, null, (new RedisLock($dsn))->owner('a:k'));
}
same('another process', "NULL\n",
    run_php('var_dump((new RedisLock("memory://shop"))->owner("a:k"));'));

$lock = new RedisLock('memory://shop');
$lease = $lock->lease('lease', 10);
reap(in_fork(function () use ($lock, $lease): void {
    throws('the server of the parent', RedisLockConnectionException::class,
        '~belongs to the parent process; use a name of its own in a forked child$~',
        fn () => $lock->acquire('k2', 5));
    check('a server of the child', is_string((new RedisLock('memory://child'))->acquire('k', 5)));
    same('a lease of the parent', false, $lease->isHeld());
    RedisLock::advance(100);
}));
RedisLock::advance(100);
check('the lease of the parent', $lease->isHeld());
same('release()', true, $lease->release());
check('the parent goes on', is_string($lock->acquire('k2', 5)));

/* A key and a token may have any bytes. */
$all = implode('', array_map('chr', range(0, 255)));
foreach ([$all => $all, str_repeat('k', 65536) => str_repeat("\0t", 2048),
        "\r\n" => "\r\n"] as $key => $token) {
    same('acquire()', $token, $lock->acquire($key, 60, token: $token));
    same('owner()', $token, $lock->owner($key));
    same('release() with another token', false, $lock->release($key, substr($token, 0, -1) . 'y'));
    same('release()', true, $lock->release($key, $token));
}

done();
?>
--EXPECT--
ok
