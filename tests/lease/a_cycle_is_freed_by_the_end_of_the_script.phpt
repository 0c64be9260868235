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
freed_by_the_end($server, 'without the collector', $code, '~^held\n$~D', 0, ['zend.enable_gc' => 0, 'report_memleaks' => 0]);

done();
?>
--EXPECT--
ok
