--TEST--
If the grant for a caller's own token was lost, another holder may have the key: the outcome is unknown, and the key ends by its TTL.
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
$lock->isLocked('k');

$fake->rules([rule('SET', ['forward', 'close'], times: 1)]);
throws('our own SET was run', 'RedisLockConnectionException', '~outcome unknown.*TTL~is',
    fn () => $lock->acquire('k', 20, token: 'mine'));
same('the key is not undone', 'mine', $server->cmd('GET', 'k'));
between('it has its TTL', 1, 20000, $server->cmd('PTTL', 'k'));

$fake->rules([rule('SET', ['forward', 'close'], times: 1)]);
throws("somebody's lock with this token", 'RedisLockConnectionException', '~outcome unknown~i',
    fn () => $lock->acquire('k', 300, token: 'mine'));
same('it is not undone', 'mine', $server->cmd('GET', 'k'));
between('nor extended', 1, 20000, $server->cmd('PTTL', 'k'));

done();
?>
--EXPECT--
ok
