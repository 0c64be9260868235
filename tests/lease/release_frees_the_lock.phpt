--TEST--
release() returns true when the lock was held, and ends the lease.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('k', 20);
same('release()', true, $lease->release());
same('keys', [], $server->keys());
same('isHeld()', false, $lease->isHeld());
same('remaining()', 0.0, $lease->remaining());
$held = $lease->heldFor();
usleep(20000);
same('heldFor() stands still', $held, $lease->heldFor());
matches('token()', TOKEN, $lease->token());
same('key()', 'k', $lease->key());
throws('assertHeld()', 'RedisLockLostException',
    '~"k" is not held by this lease any more: it was released~', fn () => $lease->assertHeld());
throws('detach()', 'RedisLockLostException',
    '~"k" is not held by this lease any more: it was released~', fn () => $lease->detach());

done();
?>
--EXPECT--
ok
