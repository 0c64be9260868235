--TEST--
A sorted set, as symfony/lock makes it, is the lock of another holder: acquire() is refused, waits poll, and the set never changes.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/lease.inc';
require_once __DIR__ . '/../inc/waiter.inc';

/* The key of symfony's RedisStore: the owner's token and a mark for a write lock, scored with their
 * ends, and a TTL. */
$symfony = function (TestServer $server, int $ms): void {
    $end = sprintf('%.0f', microtime(true) * 1000 + $ms);
    $server->cmd('ZADD', 'k', $end, 'their-token', $end, '__write__');
    $server->cmd('PEXPIREAT', 'k', $end);
};
$server = start_server();
$lock = new RedisLock($server->dsn());
$symfony($server, 60000);
same('acquire()', null, $lock->acquire('k'));
same('acquire() with a wait', null, $lock->acquire('k', wait: 0.1));
same('acquire() with an own token', null, $lock->acquire('k', wait: 0.1, token: 'own'));
same('lease()', null, $lock->lease('k', wait: 0.1));
throws('synchronized()', 'RedisLockTimeoutException', '~~',
    fn () => $lock->synchronized('k', fn () => null, wait: 0.1));
same('without wake', null, (new RedisLock($server->dsn(), wake: false))->acquire('k', wait: 0.1));
same('isLocked()', true, $lock->isLocked('k'));
same('owner()', null, $lock->owner('k'));
between('remaining()', 30, 60, $lock->remaining('k'));
same('release()', false, $lock->release('k', 'their-token'));
same('extend()', false, $lock->extend('k', 'their-token', 5));
same('resume()', null, $lock->resume('k', 'their-token'));
throws('forceRelease()', 'RedisLockServerException', '~WRONGTYPE the key holds a zset \(.*symfony~',
    fn () => $lock->forceRelease('k'));
same('their lock is whole', ['__write__', 'their-token'], $server->cmd('ZRANGE', 'k', 0, -1));
between('its TTL', 30000, 60000, $server->cmd('PTTL', 'k'));

/* A waiter gets it soon after their release. */
$waiter = waiter($server->dsn(), 'k', ['wait' => 20.0]);
usleep((int) (1e6 * room(0.3)));
same('they release it', 1, $server->cmd('DEL', 'k'));
$took = elapsed(fn () => $waiter->result(), $result);
check('the waiter has it', is_string($result['token'] ?? null), $result);
between('soon', 0, slack(1.5), $took);
$server->cmd('FLUSHALL');

/* A wait also gets the lock when their TTL ends. */
$symfony($server, 400);
matches('acquire()', TOKEN, (string) $lock->acquire('k', wait: slack(5.0)));
$server->cmd('FLUSHALL');

/* A lease whose key they took is lost. */
foreach ([true, false] as $renew) {
    $lease = $lock->lease('k', 60, renew: $renew);
    $server->cmd('DEL', 'k');
    $symfony($server, 60000);
    same('verify()', false, $lease->verify());
    same('isHeld()', false, $lease->isHeld());
    unset($lease);
    same('it is theirs', 'zset', $server->cmd('TYPE', 'k'));
    $server->cmd('DEL', 'k');
}
$lease = $lock->lease('k', 60);
$server->cmd('DEL', 'k');
$symfony($server, 60000);
same('extend()', false, $lease->extend(60));
same('release()', false, $lease->release());
$server->cmd('DEL', 'k');
$lease = $lock->lease('k', room(0.6));
$server->cmd('DEL', 'k');
$symfony($server, 60000);
eventually('the renewal notices', fn () => !$lease->isHeld());
$server->cmd('DEL', 'k');

/* For a string nothing more is sent than before, and for no key. */
$server->cmd('CONFIG', 'RESETSTAT');
$lock->owner('k');
$token = $lock->acquire('k');
$lock->owner('k');
$ignored = $lock->acquire('k', wait: 0.05);
$lock->release('k', $token);
$stats = $server->client()->info('commandstats');
check('the value was asked for', isset($stats['cmdstat_get']), $stats);
check('the type was not', !isset($stats['cmdstat_type']), $stats);

/* Without the right to ask it is what it was: an error that names the type's absence. */
$server->cmd('ACL', 'SETUSER', 'u', 'on', '>pw', '~*', '+@all', '-type');
$symfony($server, 60000);
$blind = new RedisLock($server->dsn('', 'u:pw'));
same('acquire()', null, $blind->acquire('k'));
throws('owner()', 'RedisLockServerException', '~WRONGTYPE~', fn () => $blind->owner('k'));
throws('a wait', 'RedisLockServerException', '~WRONGTYPE~', fn () => $blind->acquire('k', wait: 1));
throws('release()', 'RedisLockServerException', '~WRONGTYPE~', fn () => $blind->release('k', 'x'));

done();
?>
--EXPECT--
ok
