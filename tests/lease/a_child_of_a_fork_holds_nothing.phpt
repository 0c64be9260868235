--TEST--
In a forked child a lease is not held, and neither its methods nor its end change the parent's lock.
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
$lease = $lock->lease('k', 60);
reap(in_fork(function () use ($lock, $server, &$lease): void {
    without_traffic('in the child', $server, function () use (&$lease): void {
        same('isHeld()', false, $lease->isHeld());
        same('remaining()', 0.0, $lease->remaining());
        same('release()', false, $lease->release());
        same('extend()', false, $lease->extend(10));
        same('verify()', false, $lease->verify());
        same('key()', 'k', $lease->key());
        throws('assertHeld()', 'RedisLockLostException', '~"k"~', fn () => $lease->assertHeld());
        throws('detach()', 'RedisLockLostException', '~"k"~', fn () => $lease->detach());
        $lease = null;
    });
    same('taken', null, $lock->lease('k'));
}));
is_whole('in the parent', $server, $lease);
reap(in_fork(fn () => same('release() first of all', false, $lease->release())));
reap(in_fork(fn () => same('extend() first of all', false, $lease->extend(10))));
reap(in_fork(fn () => same('verify() first of all', false, $lease->verify())));
reap(in_fork(function () use (&$lease): void {
    $lease = null;
}));
is_whole('in the parent', $server, $lease);
same('verify()', true, $lease->verify());
same('extend()', true, $lease->extend(30));
same('release()', true, $lease->release());
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
