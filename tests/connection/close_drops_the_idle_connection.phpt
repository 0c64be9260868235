--TEST--
close() closes the connection; locks stay, and the object connects again.
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
$lock->close();
$token = $lock->acquire('k');
same('one', 1, count($server->client()->clients()));
$lock->close();
eventually('dropped', fn () => $server->client()->clients() === []);
$lock->close();
same('the lock stays', $token, $server->cmd('GET', 'k'));
$connects = RedisLock::stats()['connects'];
same('release()', true, $lock->release('k', $token));
same('connected again', 1, RedisLock::stats()['connects'] - $connects);

done();
?>
--EXPECT--
ok
