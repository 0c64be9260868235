--TEST--
In a shutdown function the lock is still held, and exit in one frees it.
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
freed_by_the_end($server, 'a shutdown function',
    '$lease = $lock->lease("k"); register_shutdown_function(function () use ($lease) { held(); echo $lease->isHeld() ? "yes" : "no"; });',
    '~^held\nyes$~');
freed_by_the_end($server, 'exit in one',
    '$lease = $lock->lease("k"); register_shutdown_function(function () { held(); exit(4); }); register_shutdown_function(fn () => print("no"));',
    '~^held\n$~D', 4);
freed_by_the_end($server, 'exit before it',
    '$lease = $lock->lease("k"); register_shutdown_function(function () { held(); exit(4); }); exit(3);',
    '~^held\n$~D', 4);
freed_by_the_end($server, 'taken in one',
    'register_shutdown_function(function () { $GLOBALS["lease"] = $GLOBALS["lock"]->lease("k"); held(); });',
    '~^held\n$~D');
freed_by_the_end($server, 'released in one',
    '$lease = $lock->lease("k"); register_shutdown_function(function () { var_dump($GLOBALS["lease"]->release()); held(); });',
    '~^bool\(true\)\nfree\n$~D');
freed_by_the_end($server, 'unset in one',
    '$lease = $lock->lease("k"); register_shutdown_function(function () { unset($GLOBALS["lease"]); held(); });',
    '~^free\n$~D');
freed_by_the_end($server, 'an exception in one',
    '$lease = $lock->lease("k"); register_shutdown_function(function () { held(); throw new LogicException("x"); });',
    '~^held\n.*Uncaught LogicException~s', 255);
freed_by_the_end($server, 'a fatal error in one',
    '$lease = $lock->lease("k"); register_shutdown_function(function () { held(); eval("class A {} class A {}"); });',
    '~^held\n.*Fatal error~s', 255);
freed_by_the_end($server, 'a section in one',
    'register_shutdown_function(function () { $GLOBALS["lock"]->synchronized("k", fn () => held()); held(); });',
    '~^held\nfree\n$~D');

done();
?>
--EXPECT--
ok
