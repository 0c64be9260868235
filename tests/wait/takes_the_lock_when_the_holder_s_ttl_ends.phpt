--TEST--
A waiter takes the lock of a dead holder when its TTL is over, and not before.
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
foreach (['somebody', RedisLock::token()] as $holder) {
    $start = now();
    $server->cmd('SET', 'k', $holder, 'PX', 400);
    $token = $lock->acquire('k', 20, 10);
    $took = now() - $start;
    matches('token', TOKEN, (string) $token);
    check('not before the TTL', $took >= 0.399, $took);
    check('soon after it', $took < slack(2.5), $took);
    same('release()', true, $lock->release('k', $token));
}

done();
?>
--EXPECT--
ok
