--TEST--
The next waiter removes marks that are older than two seconds, so the set cannot grow.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), timeout: slack(1.0));
$token = $lock->acquire('k');
[$seconds] = $server->cmd('TIME');
$server->cmd('ZADD', 'k::rl-wait', ($seconds - 1) * 1000, 'one that waited once',
    ($seconds - 60) * 1000, 'another');
same('a wait', null, $lock->acquire('k', wait: slack(0.1)));
same('release()', true, $lock->release('k', $token));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
