--TEST--
$abort is not asked without a wait, for a lock that is free, or before the first try has ended.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$timeout = room(0.5);
$lock = new RedisLock($server->dsn(), timeout: $timeout);
$asked = [];
$abort = function () use (&$asked): bool {
    $asked[] = now();
    return true;
};

/* A free lock is taken. */
foreach ([0, 5, INF] as $wait) {
    $token = $lock->acquire('k', wait: $wait, abort: $abort);
    matches('acquire()', TOKEN, (string) $token);
    same('release()', true, $lock->release('k', $token));
    $lease = $lock->lease('k', wait: $wait, abort: $abort);
    is_object($lease) && $lease->release();
    check('lease()', $lease !== null);
    same('synchronized()', 42, $lock->synchronized('k', fn () => 42, wait: $wait, abort: $abort));
}

/* Without a wait a refusal is a refusal. */
$held = hold($server, 'k');
same('acquire()', null, $lock->acquire('k', abort: $abort));
same('lease()', null, $lock->lease('k', abort: $abort));
throws('synchronized()', 'RedisLockTimeoutException', '~"k": it is taken~',
    fn () => $lock->synchronized('k', fn () => 1, abort: $abort));

/* Not for a lock that is entered again. */
$reentrant = new RedisLock($server->dsn(), reentrant: true);
$outer = $reentrant->lease('other');
check('entered again', $reentrant->lease('other', wait: 5, abort: $abort) !== null);
unset($outer);

/* A bad argument, and a wait that could never end, are exceptions. */
throws('a bad TTL', 'ValueError', '~ttl~',
    fn () => $lock->acquire('k', ttl: 0, wait: 5, abort: $abort));
$own = $lock->lease('self');
throws('a wait for oneself', 'RedisLockException', '~reentrant~',
    fn () => $lock->lease('self', wait: 5, abort: $abort));
unset($own);
same('asked', [], $asked);

/* A server that hangs: the first try ends first. */
$server->pause();
$start = now();
same('a hung server', null, $lock->acquire('k', wait: 60, abort: $abort));
same('asked once', 1, count($asked));
between('not before the first try has ended', $timeout - 0.01, slack(3.0), $asked[0] - $start);
$server->resume();

/* A bad callable is refused before any traffic; null is none. */
throws('acquire(), no callable', 'TypeError',
    '~Argument #5 \(\$abort\) must be a valid callback or null~',
    fn () => $lock->acquire('k', wait: 5, abort: 'no such function'));
throws('lease(), no callable', 'TypeError',
    '~Argument #8 \(\$abort\) must be a valid callback or null~',
    fn () => $lock->lease('k', wait: 5, abort: true));
throws('synchronized(), no callable', 'TypeError',
    '~Argument #8 \(\$abort\) must be a valid callback or null~',
    fn () => $lock->synchronized('k', fn () => 1, wait: 5, abort: []));
same('null', null, $lock->acquire('k', wait: 0.05, abort: null));
same('null', null, $lock->lease('k', wait: 0.05, abort: null));

done();
?>
--EXPECT--
ok
