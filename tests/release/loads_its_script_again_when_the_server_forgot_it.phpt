--TEST--
When the server has forgotten the script, release() and extend() send its text.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lock->release('k', $lock->acquire('k'));
$monitor = $server->monitor();

$token = $lock->acquire('k');
$server->cmd('SCRIPT', 'FLUSH');
$monitor->commands();
same('release()', true, $lock->release('k', $token));
same('commands', ['EVALSHA SHA 1 k TOKEN', 'EVAL SCRIPT 1 k TOKEN'], $monitor->lines());

$token = $lock->acquire('k', 10);
$server->cmd('SCRIPT', 'FLUSH');
same('extend()', true, $lock->extend('k', $token, 60));
check('extended', $server->cmd('PTTL', 'k') > 10000);
$server->cmd('SCRIPT', 'FLUSH');
$monitor->commands();
same('wrong token', false, $lock->release('k', 'x'));
same('the text is sent once', true, $lock->release('k', $token));
same('commands', ['EVALSHA SHA 1 k x', 'EVAL SCRIPT 1 k x', 'EVALSHA SHA 1 k TOKEN'], $monitor->lines());
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
