--TEST--
A lock of plain SET NX PX excludes ours, and ours excludes it.
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
same('theirs', 'OK', $server->cmd('SET', 'k', 'their-value', 'NX', 'PX', 20000));
same('ours is refused', null, $lock->acquire('k'));
same('with a wait', null, $lock->acquire('k', wait: 0.05));
same('they delete it', 1,
    $server->cmd('EVAL',
        "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end",
        1, 'k', 'their-value'));

matches('ours', TOKEN, $token = $lock->acquire('k'));
same('theirs is refused', null, $server->cmd('SET', 'k', 'their-value', 'NX', 'PX', 20000));
same('theirs with EX is refused', null, $server->cmd('SET', 'k', 'their-value', 'EX', 20, 'NX'));
same('SETNX is refused', 0, $server->cmd('SETNX', 'k', 'their-value'));
same('release()', true, $lock->release('k', $token));
same('theirs', 'OK', $server->cmd('SET', 'k', 'their-value', 'NX', 'PX', 20000));

done();
?>
--EXPECT--
ok
