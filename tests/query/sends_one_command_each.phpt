--TEST--
isLocked() is EXISTS, owner() GET, remaining() PTTL and forceRelease() EVALSHA, with nothing else.
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
$lock->forceRelease('k'); // now the server knows the script
$ignored = $lock->acquire('k');
$monitor = $server->monitor();
$lock->isLocked('k');
$lock->owner('k');
$lock->remaining('k');
$lock->forceRelease('k');
same('commands', ['EXISTS k', 'GET k', 'PTTL k', 'EVALSHA SHA 3 k k::rl-wait k::rl-wake'],
    $monitor->lines());

$lock = new RedisLock($server->dsn(), wake: false);
$ignored = $lock->acquire('k');
$monitor->commands();
same('forceRelease() with wake: false', true, $lock->forceRelease('k'));
same('commands', ['EVALSHA SHA 1 k'], $monitor->lines());

done();
?>
--EXPECT--
ok
