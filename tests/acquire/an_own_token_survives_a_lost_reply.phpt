--TEST--
If the answer to a SET is lost, an acquire with a caller's own token finds its own grant, and takes no other holder's lock with the same token for it.
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
same('our own SET was run', 'mine', $lock->acquire('k', 20, token: 'mine'));
same('the key has our token', 'mine', $server->cmd('GET', 'k'));
between('it has its TTL', 1, 20000, $server->cmd('PTTL', 'k'));

$fake->rules([rule('SET', ['forward', 'close'], times: 1)]);
same("another holder's lock with this token", null, $lock->acquire('k', 300, token: 'mine'));
same('it is not undone', 'mine', $server->cmd('GET', 'k'));
between('nor extended', 1, 20000, $server->cmd('PTTL', 'k'));

done();
?>
--EXPECT--
ok
