--TEST--
An uncaught exception or error frees leases, wherever it is thrown.
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
foreach (['LogicException' => 'throw new LogicException("x");', 'TypeError' => 'strlen([]);',
    'DivisionByZeroError' => '$x = 1 % 0;',
    'Error' => 'no_such_function();', 'ParseError' => 'eval("?!");',
    'ArgumentCountError' => '(function ($a) {})();'] as $class => $code) {
    freed_by_the_end($server, $class, '$lease = $lock->lease("k"); held(); ' . $code
        . ' echo "no";', "~^held\\n.*Uncaught $class|^held\\n.*Parse error~s", 255);
    freed_by_the_end($server, "$class in a function",
        'function f() { $lease = $GLOBALS["lock"]->lease("k"); held(); ' . $code . ' } f();',
        "~^held\\n.*Uncaught $class|^held\\n.*Parse error~s", 255);
    freed_by_the_end($server, "$class in a section",
        '$lock->synchronized("k", function () { held(); ' . $code . ' });',
        "~^held\\n.*Uncaught $class|^held\\n.*Parse error~s", 255);
}
freed_by_the_end($server, 'a trace that keeps it',
    '(function ($lease) { held(); throw new LogicException("x"); })($lock->lease("k"));',
    '~^held\n.*Uncaught LogicException~s', 255, ['zend.exception_ignore_args' => 0]);
freed_by_the_end($server, 'an exception handler',
    'set_exception_handler(function () { held(); exit(9); }); $lease = $lock->lease("k"); throw new LogicException("x");',
    '~^held\n$~D', 9);

done();
?>
--EXPECT--
ok
