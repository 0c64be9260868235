--TEST--
The same token given a second time is refused, with and without a wait, and the lock stays as it was.
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
$other = new RedisLock($server->dsn(), persistent: false);
same('first', 'mine', $lock->acquire('k', 20, token: 'mine'));
foreach ([$lock, $other] as $object) {
    same('second', null, $object->acquire('k', 300, token: 'mine'));
    $took = elapsed(fn () => $object->acquire('k', 300, 0.2, 'mine'), $result);
    same('second, with a wait', null, $result);
    check('it waited', $took >= 0.2, $took);
}
same('value', 'mine', $server->cmd('GET', 'k'));
between('PTTL', 1, 20000, $server->cmd('PTTL', 'k'));
same('release()', true, $other->release('k', 'mine'));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
