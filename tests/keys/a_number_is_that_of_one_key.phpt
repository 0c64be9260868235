--TEST--
fence($key) is the number of that key; token(), detach() and fence() without a key are exceptions for several keys.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_fences();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease(['b', 'a']);
$numbers = [$lease->fence('a'), $lease->fence('b')];
same('the same again', $numbers,
    without_traffic('again', $server, fn () => [$lease->fence('a'), $lease->fence('b')]));
throws('another key', 'ValueError',
    '~^RedisLockLease::fence\(\): Argument #1 \(\$key\) must be a key of the lease$~',
    fn () => $lease->fence('c'));
foreach (['fence' => '~^a lease of 2 keys has a number for each: pass the key to fence\(\)$~',
    'token' => '~^a lease of 2 keys has a token for each, and no token\(\)$~',
    'detach' => '~^a lease of 2 keys cannot be detached: take a lease of each key for that$~'] as
        $method => $regex) {
    $thrown = throws("$method()", 'RedisLockException', $regex, fn () => $lease->$method());
    same("$method(): getKey()", 'a', $thrown->getKey());
}
same('isHeld()', true, $lease->isHeld());
$lease->release();
$next = $lock->lease('a');
check('it grows', $next->fence() > $numbers[0], [$next->fence(), $numbers]);
same('with its key', $next->fence(), $next->fence('a'));
throws('with another key', 'ValueError', '~must be a key of the lease~',
    fn () => $next->fence('b'));
throws('after the release', 'RedisLockLostException', '~^the lock "a" is not held by this lease~',
    fn () => $lease->fence('a'));

done();
?>
--EXPECT--
ok
