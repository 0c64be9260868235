--TEST--
maxHold counts from the moment in which the call has all keys, and ends all of them.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$ttl = room(0.4);
$server->cmd('SET', 'b', 'somebody', 'PX', (int) (4 * $ttl * 1000));
$lost = 0;
$onLoss = function () use (&$lost): void {
    $lost++;
};
$lease = $lock->lease(['a', 'b'], $ttl, 60, maxHold: 2 * $ttl, onLoss: $onLoss);
same('it waited for the second key', true, $lease->waited() > 3 * $ttl);
same('isHeld()', true, $lease->isHeld());
$held = until_lost('maxHold', $lease, 10.0);
check('it was renewed until then', $lease->heldFor() > 1.5 * $ttl, $lease->heldFor());
same('loss()', RedisLockLoss::MaxHold, $lease->loss());
eventually('onLoss', function () use (&$lost): bool {
    return $lost === 1;
}, 5.0);
eventually('keys', fn () => $server->locks() === [], 5.0);

done();
?>
--EXPECT--
ok
