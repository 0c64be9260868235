--TEST--
If the answer to extend() arrives after the end of the proof, the lease is lost anyway, and what survives on the server is released.
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
$fake = fake_server([], $server, true);
$lock = new RedisLock($fake->dsn(), timeout: room(2.0));
$lease = $lock->lease('k', room(0.4), renew: false);
same('extend()', true, $lease->extend(room(0.4))); // the server knows the script from now on
$fake->rules([rule('EVALSHA', ['forward', wait_for(room(0.6)), 'reply'], times: 1)]);
same('extend()', false, $lease->extend(60));
same('isHeld()', false, $lease->isHeld());
throws('assertHeld()', 'RedisLockLostException', '~lost~', fn () => $lease->assertHeld());
same('the server has it', 1, $server->cmd('EXISTS', 'k'));
unset($lease);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
