--TEST--
A suspended Fiber that is dropped, or into which an exception is thrown, frees its lease and ends its section.
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
$make = function () use ($lock): Fiber {
    $fiber = new Fiber(fn () => $lock->synchronized('section', function () use ($lock): void {
        $lease = $lock->lease('k', 60);
        Fiber::suspend();
        check('not here', false);
    }, 60));
    $fiber->start();
    return $fiber;
};
$fiber = $make();
same('keys', ['0:k', '0:section'], $server->keys());
unset($fiber);
gc_collect_cycles();
same('dropped', [], $server->keys());
$fiber = $make();
throws('thrown into', 'LogicException', '~^x$~', fn () => $fiber->throw(new LogicException('x')));
same('thrown into', [], $server->keys());
$fiber = new Fiber(function () use ($lock): RedisLockLease {
    return $lock->lease('k', 60);
});
$fiber->start();
$lease = $fiber->getReturn();
unset($fiber);
is_whole('a lease that outlives its Fiber', $server, $lease);

done();
?>
--EXPECT--
ok
