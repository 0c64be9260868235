--TEST--
With the value of another client's lock, release() and extend() work, and its scripts free ours.
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
$script = "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";
$server->cmd('SET', 'k', '1732187.2512345', 'NX', 'EX', 20);
same('extend()', true, $lock->extend('k', '1732187.2512345', 60));
check('PTTL', $server->cmd('PTTL', 'k') > 20000);
same('release()', true, $lock->release('k', '1732187.2512345'));
$token = $lock->acquire('k');
same('a wrong value', 0, $server->cmd('EVAL', $script, 1, 'k', 'x'));
same('ours', 1, $server->cmd('EVAL', $script, 1, 'k', $token));
same('release() of what they freed', false, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
