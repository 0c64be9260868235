--TEST--
The example of orders oversells without a lock, is exact with a lease of both articles, and leaves no process behind.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$before = glob(sys_get_temp_dir() . '/redislock-*');
$program = escapeshellarg(__DIR__ . '/../../examples/orders.php');
$output = (string) shell_exec(php_command() . " $program 6 40 2>&1; echo \"status \$?\"");
matches('without a lock', '~^without a lock +160 +\d+ +\d+ +[1-9]\d*$~m', $output);
matches('with the lease', '~^with RedisLock +160 +\d+ +\d+ +0$~m', $output);
matches('its status', '~^status 0$~m', $output);
same('what is left of its server', $before, glob(sys_get_temp_dir() . '/redislock-*'));

done();
?>
--EXPECT--
ok
