--TEST--
A user with the least rights that docs/rights.md names can do everything.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('it needs more rights, which have a test of their own');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$docs = file_get_contents(__DIR__ . '/../../docs/rights.md');
check('docs/rights.md has a rule',
    preg_match('~ACL SETUSER locker on >password (\\~lock:\*(?: \+[a-z|]+)+)$~m', $docs,
        $m) === 1);
$server->cmd('ACL', 'SETUSER', 'locker', 'on', '>pw', 'resetchannels', '-@all', '+select',
    ...explode(' ', $m[1]));
$lock = new RedisLock($server->dsn('?db=1', 'locker:pw'), 'lock:');
$token = $lock->acquire('k');
matches('acquire()', TOKEN, $token);
same('refused', null, $lock->acquire('k'));
same('a wait', null, $lock->acquire('k', wait: 0.05));
same('extend()', true, $lock->extend('k', $token, 60));
same('isLocked()', true, $lock->isLocked('k'));
same('owner()', $token, $lock->owner('k'));
check('remaining()', $lock->remaining('k') > 0);
same('release()', true, $lock->release('k', $token));
same('a wait', true, $lock->release('k', $lock->acquire('k', wait: 1)));
same('forceRelease()', false, $lock->forceRelease('k'));
$server->client()->cmd('SELECT', 1);
$server->client()->cmd('ZADD', 'lock:symfony', 1, 'x');
same('a lock of symfony', [null, null, true, false],
    [$lock->acquire('symfony', wait: 0.05), $lock->owner('symfony'), $lock->isLocked('symfony'),
        $lock->release('symfony', 'x')]);

/* A lease that is renewed. */
$lease = $lock->lease('k', room(0.6));
eventually('it is renewed', fn () => RedisLock::stats()['renewed'] >= 2);
check('fence()', !HAS_FENCES || $lease->fence() > 0);
same('release() of the lease', true, $lease->release());

/* A release that wakes a waiter. */
$handOver = function (string $dsn) use ($server): array {
    $lock = new RedisLock($dsn, 'lock:', persistent: false);
    $token = $lock->acquire('k');
    $waiter =
        start_php(
            'echo (int) ((new RedisLock($argv[1], "lock:"))->acquire("k", wait: 20) !== null), json_encode(RedisLock::stats());',
            [$dsn]);
    eventually('the waiter is in the queue',
        fn () => (int) $server->client()->info('clients')['blocked_clients'] === 1, 10.0);
    $lock->release('k', $token);
    $output = $waiter->output();
    same('the waiter has the lock', '1', $output[0]);
    return json_decode(substr($output, 1), true);
};
$stats = $handOver($server->dsn('?db=1', 'locker:pw'));
same('woken', [1, 0], [$stats['wake_ups'], $stats['wake_failures']]);
same('nothing was denied', 0, count($server->cmd('ACL', 'LOG')));
$bare = new RedisLock($server->dsn('?db=1', 'locker:pw'));
throws('keys without the prefix', 'RedisLockServerException', '~NOPERM~',
    fn () => $bare->acquire('k'));

done();
?>
--EXPECT--
ok
