--TEST--
A lease in a reference cycle, with and without the collector, is freed by the end of the script.
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
$code = '$a = new stdClass(); $a->a = $a; $a->lease = $lock->lease("k"); unset($a); held();';
freed_by_the_end($server, 'a cycle', $code, '~^held\n$~D');
/* A debug build would report the cycle; as a setting of php.ini the switch is deprecated since
 * 8.5. */
$code = 'PHP_DEBUG && @ini_set("report_memleaks", "0"); ' . $code;
freed_by_the_end($server, 'without the collector', $code, '~^held\n$~D', 0,
    ['zend.enable_gc' => 0]);

done();
?>
--EXPECT--
ok
