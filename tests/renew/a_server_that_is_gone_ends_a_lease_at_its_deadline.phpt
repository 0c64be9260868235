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
$lease = $lock->lease('k', 0.9);
$long = $lock->lease('long', 3.6);
renewals_go_on('at first');
$server->kill();
$deadline = now() + $lease->remaining();
/* Looked at all the time: not held after the deadline, and held until just before it. */
$last = 0.0;
while (now() < $deadline + 0.3) {
    $before = now();
    if ($lease->isHeld()) {
        $last = $before;
    }
}
between('held until', $deadline - 0.3, $deadline + 0.001, $last);
same('one with a longer TTL is held', true, $long->isHeld());
same('lost', 1, lost());
$server->start();
same('its key is gone', 0, $server->cmd('EXISTS', 'k'));
$server->cmd('SET', 'k', $lease->token(), 'PX', 60000);
renewals_go_on('of the other one', 1, 10.0);
same('isHeld()', false, $lease->isHeld());
throws('assertHeld()', 'RedisLockLostException', '~"k" was lost~', $lease->assertHeld(...));
same('extend()', false, $lease->extend(10));
between('the key is left alone', 50000, 60000, $server->cmd('PTTL', 'k'));
same('release()', false, $lease->release());
same('it frees what is there of it', 0, $server->cmd('EXISTS', 'k'));
stays_held('the other one', $server, $long, 0.1);
same('release() of the other one', true, $long->release());

done();
?>
--EXPECT--
ok
