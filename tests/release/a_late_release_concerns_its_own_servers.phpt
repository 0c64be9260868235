--TEST--
A release that is being repeated refuses its token only on the servers that have not confirmed it.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('a node cannot be made a replica');
?>
--FILE--
<?php
require __DIR__ . '/../inc/outage.inc';

[$here, $there] = $servers = [start_server(), start_server()];
$lock = new RedisLock($here->dsn());
$same = new RedisLock($here->dsn(), timeout: slack(0.5));
$other = new RedisLock($there->dsn());
$database = new RedisLock($here->dsn('?db=1'));
$both = new RedisLock([$here->dsn(), $there->dsn()]);
[$begin, $end, $class] = outages()['READONLY'];

$token = $lock->acquire('k', 60);
$begin($here);
throws('the release', $class, '~READONLY~', fn () => $lock->release('k', $token));

foreach (['the same object' => $lock, 'an object of the same server' => $same,
        'a set with that server' => $both] as $what => $one) {
    throws("$what: acquire()", 'RedisLockException', '~"k".*fresh token~',
        fn () => $one->acquire('k', token: $token));
    throws("$what: lease()", 'RedisLockException', '~"k".*fresh token~',
        fn () => $one->lease('k', token: $token));
    same("$what: extend()", false, $one->extend('k', $token, 30));
    same("$what: resume()", null, $one->resume('k', $token));
}

same('another server: acquire()', $token, $other->acquire('k', 60, token: $token));
same('another server: extend()', true, $other->extend('k', $token, 30));
$lease = $other->resume('k', $token);
check('another server: resume()', $lease?->isHeld() === true);
$lease?->release();
$lease = $other->lease('k', 60, token: $token);
check('another server: lease()', $lease?->isHeld() === true);
throws('another database is asked', $class, '~READONLY~',
    fn () => $database->acquire('k', token: $token));

$end($here);
eventually('the late release is done', fn () => $here->cmd('EXISTS', 'k') === 0, 5.0);
same('and frees nothing elsewhere', $token, $there->cmd('GET', 'k'));
check('the lease', $lease?->verify() === true);
/* The watchdog may have to read the server's answer yet. */
eventually('the token is not special then', function () use ($lock, $token): bool {
    try {
        return $lock->acquire('k', token: $token) === $token;
    } catch (RedisLockException) {
        return false;
    }
});

done();
?>
--EXPECT--
ok
