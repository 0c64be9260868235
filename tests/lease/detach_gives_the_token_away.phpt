--TEST--
detach() returns the token; the lock stays, also when the object ends, and belongs to the holder of the token.
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
$token = $lease->token();
without_traffic('detach()', $server, function () use (&$lease, $token): void {
    same('detach()', $token, $lease->detach());
    same('isHeld()', false, $lease->isHeld());
    same('release()', false, $lease->release());
    throws('a second detach()', 'RedisLockLostException', '~"k" is not held.*given away~',
        fn () => $lease->detach());
    $lease = null;
});
same('value', $token, $server->cmd('GET', 'k'));
same('release() of the token', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
