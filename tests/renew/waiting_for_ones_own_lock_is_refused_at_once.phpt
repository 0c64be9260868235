--TEST--
A wait for a lock that a renewed lease of this thread holds would never end: it throws a RedisLockException at once, and sends no command for the lock.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('it has one database');
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

RedisLock::waitWith(null); // a wait that yields for the lock of another Fiber is not refused
$server = start_server();
$other = start_server();
$lock = new RedisLock($server->dsn(), 'p:');
$lease = $lock->lease('k');

/* The server is asked once whether it knows of the lease, too. */
$is_told = function (string $what, callable $call, string $how = 'reentrant: true') use ($server):
        void {
    $server->cmd('CONFIG', 'RESETSTAT');
    throws($what, 'RedisLockException',
        "~^waiting for the lock \"k\" would never end.*$how~", $call, 0.5);
    $seen = array_keys($server->client()->info('commandstats'));
    same("$what: commands", ['cmdstat_get'],
        array_values(array_filter($seen,
            fn ($name) => preg_match('~_(get|set|evalsha?|blpop)$~', $name) === 1)));
};
$section = fn () => check('the section is not called', false);
$is_told('acquire()', fn () => $lock->acquire('k', wait: 20));
$is_told('lease()', fn () => $lock->lease('k', wait: 20));
$is_told('a very short wait', fn () => $lock->lease('k', wait: 0.001));
$is_told('for ever', fn () => $lock->lease('k', wait: INF));
$is_told('without renewal', fn () => $lock->lease('k', wait: 20, renew: false));
$is_told('synchronized()', fn () => $lock->synchronized('k', $section, wait: 20));
$is_told('another object', fn () => (new RedisLock($server->dsn(), 'p:'))->lease('k', wait: 20));
$is_told('an object with other options',
    fn () => (new RedisLock($server->dsn(), 'p:', persistent: false, wake: false))->acquire('k',
        wait: 20));
$is_told('a re-entrant object that is not the same',
    fn () => (new RedisLock($server->dsn(), 'p:', reentrant: true))->lease('k', wait: 20),
    'release that lease first, or give it a maxHold');
$is_told('once()', fn () => $lock->once('k', $section, for: 60, wait: 20),
    'release that lease first, or give it a maxHold');
$is_told('in another Fiber', fn () => (new Fiber(fn () => $lock->lease('k', wait: 20)))->start(),
    'another Fiber or coroutine .* without a wait');
throws('the key with its prefix', 'RedisLockException', '~"p:k"~',
    fn () => (new RedisLock($server->dsn(), ''))->lease('p:k', wait: 20), 0.5);
is_whole('the lease', $server, $lease, 'p:');

/* Without a wait it is refused as anybody's. */
same('lease() without wait', null, $lock->lease('k'));
same('acquire() without wait', null, $lock->acquire('k'));
throws('synchronized() without wait', 'RedisLockTimeoutException', '~"k"~',
    fn () => $lock->synchronized('k', $section));

/* Other locks. */
same('another prefix', true, (new RedisLock($server->dsn(), 'q:'))->lease('k', wait: 1)->isHeld());
same('another database', true,
    (new RedisLock($server->dsn('?db=1'), 'p:'))->lease('k', wait: 1)->isHeld());
same('another server', true, (new RedisLock($other->dsn(), 'p:'))->lease('k', wait: 1)->isHeld());
same('another key', true, $lock->lease('l', wait: 1)->isHeld());

/* Waits that may end. */
unset($lease);
$waits = function (string $what) use ($lock): void {
    same("$what: the wait is over", null, $lock->lease('k', wait: 0.05));
};
foreach (['a token' => fn () => $lock->acquire('k'),
    'renew: false' => fn () => $lock->lease('k', renew: false),
    'maxHold' => fn () => $lock->lease('k', maxHold: 60),
    'onLoss without renewal' => fn () => $lock->lease('k', renew: false, onLoss: stop(...))]
    as $what => $take) {
    $held = $take();
    $waits($what);
    $server->cmd('DEL', 'p:k');
    unset($held);
}
ini_set('redislock.max_hold', '60');
$held = $lock->lease('k');
$waits('redislock.max_hold');
ini_restore('redislock.max_hold');
unset($held);
$held = $lock->lease('k');
$held->detach();
$waits('detach()');
$server->cmd('DEL', 'p:k');
$held = $lock->lease('k', maxHold: INF);
throws('maxHold: INF is no end', 'RedisLockException', '~never end~',
    fn () => $lock->lease('k', wait: 20), 0.5);
$held->release();
same('after release()', true, $lock->lease('k', wait: 1)->isHeld());
$held = $lock->lease('k', room(0.6));
$server->cmd('SET', 'p:k', 'somebody', 'PX', 100);
until_lost('taken over', $held);
same('after a loss', true, $lock->lease('k', wait: slack(2.0))->isHeld());
unset($held);

/* The key is gone, and the lease does not know it yet: a wait takes the free lock. */
foreach (['DEL' => fn () => $server->cmd('DEL', 'p:gone'),
        'forceRelease()' => fn () => $lock->forceRelease('gone')] as $what => $free) {
    $held = $lock->lease('gone', 30);
    $free();
    same("$what: the old lease does not know", true, $held->isHeld());
    $next = $lock->lease('gone', wait: 1);
    same("$what: the lock is taken", true, $next?->isHeld());
    $held->release();
    same("$what: it is still held", true, $next?->verify());
    unset($held, $next);
}

/* The same in one Fiber for the other, and where the inner one of a re-entrant lock renews. */
$fiber = new Fiber(function () use ($lock): void {
    $lease = $lock->lease('k');
    Fiber::suspend();
});
$fiber->start();
$is_told('held by a Fiber', fn () => $lock->lease('k', wait: 20), 'another Fiber or coroutine');
unset($fiber);
$nested = new RedisLock($server->dsn(), 'p:', reentrant: true);
$outer = $nested->lease('k', renew: false);
$inner = $nested->lease('k');
$is_told('renewed by an inner one', fn () => $lock->lease('k', wait: 20));
same('the same object enters it', $outer->token(), $nested->lease('k', wait: 20)?->token());
unset($outer, $inner);
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
