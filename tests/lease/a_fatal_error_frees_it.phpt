--TEST--
A fatal error frees leases: at compile time, by trigger_error(), by an abstract method, in a section, in a destructor.
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
$folder = test_folder();
file_put_contents("$folder/broken.inc", '<?php class Twice {} class Twice {}');
$include = '$f = "' . $folder . '/broken.inc";';
foreach ([
    'include of a broken file' => "$include include \$f;",
    'eval' => 'eval("class A {} class A {}");',
    'E_USER_ERROR' => 'trigger_error("mine", E_USER_ERROR);',
    'a class that lacks methods' => 'eval("class B implements Countable {}");',
    'require of a file that is not there' => 'require "/no/such/file";',
] as $what => $code) {
    $regex = '~^held\n.*Fatal error~s';
    freed_by_the_end($server, $what, '$lease = $lock->lease("k"); held(); ' . $code . ' echo "no";',
        $regex, 255);
    freed_by_the_end($server, "$what in a function, in try",
        'function f() { $lease = $GLOBALS["lock"]->lease("k"); held(); try { ' . $code
        . ' } finally { echo "no"; } } f();', $regex, 255);
    freed_by_the_end($server, "$what in a section",
        '$lock->synchronized("k", function () { held(); ' . $code . ' }); echo "no";', $regex, 255);
}
freed_by_the_end($server, 'in a destructor',
    'class D { function __destruct() { held(); trigger_error("mine", E_USER_ERROR); } } $d = new D(); $lease = $lock->lease("k"); unset($d);',
    '~^held\n.*Fatal error~s', 255);
unlink("$folder/broken.inc");
rmdir($folder);

done();
?>
--EXPECT--
ok
