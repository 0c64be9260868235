--TEST--
The demo of the quickstart oversells without a lock, is exact with it, and leaves no process behind.
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
$program = escapeshellarg(__DIR__ . '/../../examples/flash-sale.php');
$output = (string) shell_exec(php_command() . " $program 4 100 2>&1; echo \"status \$?\"");
matches('without a lock', '~^without a lock +100 +[1-9]\d\d+ +[1-9]\d* ~m', $output);
matches('with the lock', '~^with RedisLock +100 +100 +0 +[1-9]\d* +\d+ ms$~m', $output);
matches('its status', '~^status 0$~m', $output);
same('what is left of its server', $before, glob(sys_get_temp_dir() . '/redislock-*'));

done();
?>
--EXPECT--
ok
