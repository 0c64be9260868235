--TEST--
When the server is gone a lease is held until its proof is over, not longer, and stays lost when the server comes back.
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

$server = start_server(['appendonly' => 'yes', 'appendfsync' => 'always']);
$lock = new RedisLock($server->dsn());
$ttl = room(0.9);
$lease = $lock->lease('k', $ttl);
$long = $lock->lease('long', max(12, 6 * $ttl)); // a cluster takes its time to come back
renewals_go_on('at first');
$server->kill();
$deadline = now() + $lease->remaining();
/* Looked at all the time: held until just before the deadline, and not held after it. A look may
 * take long: a lease that is held was so at its beginning, and a lost one is so at its end. */
$held = 0.0;
$lost = INF;
while (now() < $deadline + $ttl / 3) {
    $before = now();
    if ($lease->isHeld()) {
        $held = $before;
    } else {
        $lost = min($lost, now());
    }
}
check('it was looked at', $held > 0.0 || $lost < INF);
check('not held after the deadline', $held <= $deadline + 0.001, $held - $deadline);
check('held until the deadline', $lost >= $deadline - 0.3, $lost - $deadline);
same('one with a longer TTL is held', true, $long->isHeld());
same('lost', 1, lost());
$server->start();
same('its key is gone', 0, $server->cmd('EXISTS', 'k'));
$server->cmd('SET', 'k', $lease->token(), 'PX', 600000);
renewals_go_on('of the other one', 1, 15.0);
same('isHeld()', false, $lease->isHeld());
throws('assertHeld()', 'RedisLockLostException', '~"k" was lost~', $lease->assertHeld(...));
same('extend()', false, $lease->extend(10));
between('the key is left alone', 500000, 600000, $server->cmd('PTTL', 'k'));
same('release()', false, $lease->release());
same('it frees what is there of it', 0, $server->cmd('EXISTS', 'k'));
stays_held('the other one', $server, $long, 0.1);
same('release() of the other one', true, $long->release());

done();
?>
--EXPECT--
ok
