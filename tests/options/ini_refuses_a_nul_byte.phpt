--TEST--
An INI value with a NUL byte is refused, for what is behind it would not be used.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

same('prefix', false, ini_set('redislock.prefix', "app\0A:"));
same('prefix is as it was', '', ini_get('redislock.prefix'));
same('servers', false, ini_set('redislock.servers', "redis://127.0.0.1\0junk"));
same('servers are as they were', 'redis://127.0.0.1:6379', ini_get('redislock.servers'));

done();
?>
--EXPECT--
ok
