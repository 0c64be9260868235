--TEST--
exit frees leases: outside of try, inside of it, in a function, a section, a destructor, an include.
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
    'exit' => ['$lease = $lock->lease("k"); held(); exit(3);', '~^held\n$~D'],
    'in try' =>
        ['try { $lease = $lock->lease("k"); held(); exit(3); } catch (Throwable) { echo "no"; } finally { echo "no"; }',
            '~^held\n$~D'],
    'in a function' =>
        ['function f($lock) { $lease = $lock->lease("k"); held(); exit(3); } f($lock);',
            '~^held\n$~D'],
    'in a section' => ['$lock->synchronized("k", function () { held(); exit(3); }); echo "no";',
        '~^held\n$~D'],
    'in a section in try' =>
        ['try { $lock->synchronized("k", function () { held(); exit(3); }); } finally { echo "no"; }',
            '~^held\n$~D'],
    'in nested sections' =>
        ['$lock->synchronized("k", fn () => $lock->synchronized("l", function () { held(); held("l"); exit(3); }));',
            '~^held\nheld\n$~D'],
    'in a destructor' => [
        'class A { function __destruct() { held(); exit(3); } } $a = new A(); $lease = $lock->lease("k"); unset($a);',
        '~^held\n$~D'],
    'in eval' => ['$lease = $lock->lease("k"); held(); eval("exit(3);");', '~^held\n$~D'],
    'in an output handler' => ['$lease = $lock->lease("k"); held(); fflush(STDOUT); die(3);',
        '~^held\n$~D'],
] as $what => [$code, $regex]) {
    freed_by_the_end($server, $what, $code, $regex, 3);
}

done();
?>
--EXPECT--
ok
