--TEST--
A script that simply ends frees its leases: in a variable, in an array, a property, a static, a constant.
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
final class Ways
{
    public const ALL = [
        'a variable' => '$lease = $lock->lease("k"); held();',
        'an array' => '$all = ["x" => [$lock->lease("k")]]; held();',
        'a static property' => 'class A { static $lease; } A::$lease = $lock->lease("k"); held();',
        'a property of a static' =>
            'class A { static $self; public $lease; } A::$self = new A(); A::$self->lease = $lock->lease("k"); held();',
        'a static variable' =>
            'function f() { static $lease; $lease = $GLOBALS["lock"]->lease("k"); } f(); held();',
        'a constant' =>
            'class A { public $lease; } $a = new A(); define("KEPT", $a); $a->lease = $lock->lease("k"); unset($a); held();',
        'a closure' =>
            '$lease = $lock->lease("k"); $f = function () use ($lease) {}; unset($lease); held();',
        'a static closure' =>
            'class A { static $f; } (function ($lease) { A::$f = static fn () => $lease; })($lock->lease("k")); held();',
        'an error handler' =>
            '(function ($lease) { set_error_handler(fn () => $lease); })($lock->lease("k")); held();',
        'an output handler' =>
            '(function ($lease) { ob_start(fn ($text) => $text . ($lease ? "" : "")); })($lock->lease("k")); held();',
        'return' => '$lease = $lock->lease("k"); held(); return;',
    ];
}
foreach (Ways::ALL as $what => $code) {
    freed_by_the_end($server, $what, $code, '~^held\n$~D');
}

done();
?>
--EXPECT--
ok
