--TEST--
When the Sentinels stop, an acquire fails with a message and leaves no key, and releases go on.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
skip_without_sentinel();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';

$sentinels = start_sentinels(3, 0);
$primary = $sentinels->servers[0];
$timeout = room(0.3);
$lock = new RedisLock($sentinels->dsn("?timeout=$timeout&connect_timeout=$timeout"));
$unchecked = new RedisLock($sentinels->dsn('?sentinel_check=0'));
$token = $lock->acquire('held', 60);
$lease = $lock->lease('lease', 60);
matches('sentinel_check=0', TOKEN, (string) $unchecked->acquire('first', 60));
array_map(fn ($sentinel) => $sentinel->pause(), $sentinels->sentinels);
usleep(1200000);

$thrown = throws('acquire()', 'RedisLockConnectionException', '~no majority of the Sentinels~',
    fn () => $lock->acquire('k', 30), 3.0);
same('it leaves no key', 0, $primary->cmd('EXISTS', 'k'));
throws('with an own token', 'RedisLockConnectionException', '~no majority of the Sentinels~',
    fn () => $lock->acquire('k', 30, 0, 'mine'), 3.0);
same('nor that', 0, $primary->cmd('EXISTS', 'k'));
throws('in a wait', 'RedisLockConnectionException', '~no majority of the Sentinels~',
    fn () => $lock->acquire('k', 30, 1), 5.0);
same('nor does a wait', 0, $primary->cmd('EXISTS', 'k'));
throws('extend()', 'RedisLockConnectionException', '~no majority of the Sentinels~',
    fn () => $lock->extend('held', $token, 60), 3.0);
same('a refusal is none', null, $lock->acquire('held', 30));
same('isLocked()', true, $lock->isLocked('held'));
same('owner()', $token, $lock->owner('held'));
same('release()', true, $lock->release('held', $token));
same('release() of a lease', true, $lease->release());
$watch = new Stopwatch();
$second = $unchecked->acquire('second', 60);
$watch->within('at once', slack(0.2));
matches('sentinel_check=0 needs them once', TOKEN, (string) $second);

array_map(fn ($sentinel) => $sentinel->resume(), $sentinels->sentinels);
eventually('they are back', fn () => ($token = $lock->acquire('k', 30, 3)) !== null
    && $lock->release('k', $token), 10.0);
same('forceRelease()', true, $unchecked->forceRelease('first'));
same('forceRelease() of the second', true, $unchecked->forceRelease('second'));
same('nothing is left', [], $primary->locks());

done();
?>
--EXPECT--
ok
