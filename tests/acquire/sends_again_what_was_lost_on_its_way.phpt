--TEST--
A SET that was lost before it reached the server is sent again.
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
$fake = fake_server([], $server);
$lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
foreach ([null, 'mine'] as $own) {
    $lock->release('warm', $lock->acquire('warm'));
    $fake->rules([rule('SET', ['close'], times: 1)]);
    $token = $lock->acquire('k', 20, token: $own);
    check('a token', $own === null ? preg_match(TOKEN, (string) $token) : $token === $own);
    same('the key holds it', $token, $server->cmd('GET', 'k'));
    same('release()', true, $lock->release('k', (string) $token));
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
