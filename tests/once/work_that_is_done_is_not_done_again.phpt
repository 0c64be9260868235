--TEST--
once() runs the section under the lock, and answers false until the mark is over.
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
$runs = 0;
$section = function (RedisLockLease $lease) use (&$runs, $server): string {
    $runs++;
    check('the section holds the lock', $lease->isHeld());
    same('the key while the section runs', $lease->token(), $server->cmd('GET', 'mail:42'));
    return 'not used';
};
same('the first call', true, $lock->once('mail:42', $section, for: 60));
same('runs', 1, $runs);
same('the mark', 'rl1.done', $server->cmd('GET', 'mail:42'));
between('its TTL', 50_000, 60_000, $server->cmd('PTTL', 'mail:42'));
same('the second call', false, $lock->once('mail:42', $section, for: 60));
same('another object, and a wait', false,
    (new RedisLock($server->dsn()))->once('mail:42', $section, for: 60, wait: 60));
same('an object with wake: false', false,
    (new RedisLock($server->dsn(), wake: false))->once('mail:42', $section, for: 60, wait: 60));
same('runs afterwards', 1, $runs);
same('keys', ['0:mail:42'], $server->keys());

/* Methods that __call() and __callStatic() stand in for. */
final class Magic
{
    public static array $calls = [];

    public function __call(string $name, array $arguments): mixed
    {
        self::$calls[] = $name;
        return null;
    }

    public static function __callStatic(string $name, array $arguments): mixed
    {
        self::$calls[] = "::$name";
        return null;
    }
}
same('__call()', true, $lock->once('magic', [new Magic, 'work'], for: 60));
same('__callStatic()', true, $lock->once('magic:static', 'Magic::work', for: 60));
same('their calls', ['work', '::work'], Magic::$calls);
$server->cmd('DEL', 'magic', 'magic:static');

/* The mark holds the key. */
same('isLocked()', true, $lock->isLocked('mail:42'));
same('owner()', null, $lock->owner('mail:42'));
between('remaining()', 50, 60, $lock->remaining('mail:42'));
same('acquire()', null, $lock->acquire('mail:42'));
same('lease()', null, $lock->lease('mail:42', wait: 0.05));
$state = $lock->inspect('mail:42');
same('inspect()', [true, false, false, null, 0],
    [$state->isDone, $state->isForeign, $state->isReserved, $state->label, $state->waiters]);
same('inspectAll()', true, $lock->inspectAll(['mail:42'])['mail:42']->isDone);
throws('synchronized()', 'RedisLockTimeoutException',
    '~^could not acquire the lock "mail:42" within 0\.05 s: it is marked as work that is done for '
    . 'up to [\d.]+ s more$~', fn () => $lock->synchronized('mail:42', fn () => 1, wait: 0.05));
same('release() of another token', false, $lock->release('mail:42', RedisLock::token()));
same('extend() of another token', false, $lock->extend('mail:42', RedisLock::token(), 5));
same('resume() of another token', null, $lock->resume('mail:42', RedisLock::token()));

/* Another key, and the same key again. */
same('another key', true, $lock->once('mail:43', fn () => null, for: 60));
same('forceRelease()', true, $lock->forceRelease('mail:42'));
same('isDone after it', null, $lock->inspect('mail:42'));
same('the call after it', true, $lock->once('mail:42', $section, for: 0.1));
same('runs after it', 2, $runs);
eventually('the mark ends', fn () => $lock->inspect('mail:42') === null, 5.0);
same('the call after the mark', true, $lock->once('mail:42', $section, for: 0.1));
same('runs after the mark', 3, $runs);

done();
?>
--EXPECT--
ok
