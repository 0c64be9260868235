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
foreach (['3 k k::rl-wait k::rl-wake', '1 k'] as $keys) {
    $lock = new RedisLock($server->dsn(), wake: $keys !== '1 k');
    $lock->release('k', $lock->acquire('k'));
    $monitor = $server->monitor();

    $token = $lock->acquire('k');
    $server->cmd('SCRIPT', 'FLUSH');
    $monitor->commands();
    same('release()', true, $lock->release('k', $token));
    same('commands', ["EVALSHA SHA $keys TOKEN", "EVAL SCRIPT $keys TOKEN"], $monitor->lines());

    $token = $lock->acquire('k', 10);
    $server->cmd('SCRIPT', 'FLUSH');
    same('extend()', true, $lock->extend('k', $token, 60));
    check('extended', $server->cmd('PTTL', 'k') > 10000);
    $server->cmd('SCRIPT', 'FLUSH');
    $monitor->commands();
    same('wrong token', false, $lock->release('k', 'x'));
    same('the text is sent once', true, $lock->release('k', $token));
    same('commands', ["EVALSHA SHA $keys x", "EVAL SCRIPT $keys x", "EVALSHA SHA $keys TOKEN"],
        $monitor->lines());
    same('keys', [], $server->keys());
}

done();
?>
--EXPECT--
ok
