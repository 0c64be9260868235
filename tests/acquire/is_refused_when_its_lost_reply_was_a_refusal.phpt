--TEST--
A lost reply that was a refusal stays a refusal.
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
$server->cmd('SET', 'k', 'somebody', 'PX', 60000);
$lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
$lock->isLocked('k');
$fake->rules([rule('SET', ['forward', 'close'], times: 1)]);
same('acquire()', null, $lock->acquire('k'));
$fake->rules([rule('SET', ['close'], times: 1)]);
same('acquire()', null, $lock->acquire('k'));
same('the holder is not touched', 'somebody', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
