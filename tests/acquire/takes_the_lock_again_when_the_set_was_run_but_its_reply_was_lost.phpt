--TEST--
A SET that ran but whose reply was lost is recognised: the token is returned, and there is one key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
foreach ([true, false] as $warm) {
    $fake = fake_server([], $server);
    $lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
    if ($warm) {
        $lock->release('warm', $lock->acquire('warm'));
    }
    $fake->rules([rule('SET', ['forward', 'close'], times: 1)]);
    $token = $lock->acquire('k', 20);
    matches('token', TOKEN, (string) $token);
    same('the key holds it', $token, $server->cmd('GET', 'k'));
    between('PTTL', 1, 20000, $server->cmd('PTTL', 'k'));
    same('keys', ['0:k'], $server->keys());
    same('release()', true, $lock->release('k', (string) $token));
    same('keys', [], $server->keys());
    $lock->close();
    $fake->stop();
}

done();
?>
--EXPECT--
ok
