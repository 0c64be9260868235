--TEST--
A script that ends while a generator or a Fiber is suspended with a lease, or in a section, frees the lease.
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
foreach ([
    'a generator' =>
        'function g($lock) { $lease = $lock->lease("k"); yield 1; echo "no"; } $g = g($lock); $g->current(); held();',
    'a generator in try' =>
        'function g($lock) { try { $lease = $lock->lease("k"); yield 1; } finally { held(); } } $g = g($lock); $g->current();',
    'a Fiber' =>
        '$f = new Fiber(function () use ($lock) { $lease = $lock->lease("k"); Fiber::suspend(); echo "no"; }); $f->start(); held();',
    'a Fiber in try' =>
        '$f = new Fiber(function () use ($lock) { try { $lease = $lock->lease("k"); Fiber::suspend(); } finally { held(); } }); $f->start();',
    'a Fiber in a section' =>
        '$f = new Fiber(fn () => $lock->synchronized("k", function () { Fiber::suspend(); echo "no"; })); $f->start(); held();',
    'a static Fiber' =>
        'class A { static $f; } A::$f = new Fiber(fn () => $lock->synchronized("k", fn () => Fiber::suspend())); A::$f->start(); held();',
    'a Fiber of a Fiber' =>
        '$f = new Fiber(function () use ($lock) { $g = new Fiber(function () use ($lock) { $lease = $lock->lease("k"); Fiber::suspend(); }); $g->start(); Fiber::suspend(); }); $f->start(); held();',
] as $what => $code) {
    freed_by_the_end($server, $what, $code, '~^held\n$~D');
}
freed_by_the_end($server, 'exit in a Fiber',
    '$f = new Fiber(function () use ($lock) { $lease = $lock->lease("k"); held(); exit(3); }); $f->start(); echo "no";',
    '~^held\n$~D', 3);
freed_by_the_end($server, 'exit in a section of a Fiber',
    '$f = new Fiber(fn () => $lock->synchronized("k", function () { held(); exit(3); })); $f->start(); echo "no";',
    '~^held\n$~D', 3);
freed_by_the_end($server, 'a fatal error in a Fiber',
    '$f = new Fiber(function () use ($lock) { $lease = $lock->lease("k"); held(); trigger_error("x", E_USER_ERROR); }); $f->start(); echo "no";',
    '~^held\n.*Fatal~s', 255);
freed_by_the_end($server, 'a fatal error beside a Fiber',
    '$f = new Fiber(fn () => $lock->synchronized("k", fn () => Fiber::suspend())); $f->start(); held(); trigger_error("x", E_USER_ERROR);',
    '~^held\n.*Fatal~s', 255);

done();
?>
--EXPECT--
ok
