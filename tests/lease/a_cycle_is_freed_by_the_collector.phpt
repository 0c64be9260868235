--TEST--
A lease in a reference cycle is freed by the garbage collector.
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
$node = new stdClass();
$node->self = $node;
$node->lease = $lock->lease('k');
unset($node);
same('still there', ['0:k'], $server->keys());
gc_collect_cycles();
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
