--TEST--
A section that outlives the TTL ends in a RedisLockLostException with its result.
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
$lost = throws('expired', 'RedisLockLostException',
        '~^the lock "k" was lost: its TTL ended before it was renewed$~',
        fn () => $lock->synchronized('k', function (RedisLockLease $lease): array {
    eventually('its time is over', fn () => !$lease->isHeld(), 2.0);
    return ['done' => 1];
}, ttl: room(0.2), renew: false));
same('getResult()', ['done' => 1], $lost->getResult());
$lost = throws('without a look at it', 'RedisLockLostException', '~"k"~',
        fn () => $lock->synchronized('k', function (): int {
    usleep((int) (1e6 * room(0.25)));
    return 5;
}, ttl: room(0.15), renew: false));
same('getResult()', 5, $lost->getResult());
eventually('keys', fn () => $server->keys() === [], 2.0);

done();
?>
--EXPECT--
ok
