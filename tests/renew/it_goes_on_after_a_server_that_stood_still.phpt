--TEST--
A server that stands still for less than the proof loses nothing.
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
$unit = room(1.0);
$lease = (new RedisLock($server->dsn(), timeout: $unit))->lease('k', 1.2 * $unit);
foreach ([1, 2] as $n) {
    renewals_go_on("before pause $n");
    $server->pause();
    /* The next renewal is due in 0.4 units, and the proof ends in more than 1.1. */
    usleep((int) (700000 * $unit));
    same("held in pause $n", true, $lease->isHeld());
    $server->resume();
}
stays_held('afterwards', $server, $lease, 1.3 * $unit);
same('lost', 0, lost());

done();
?>
--EXPECT--
ok
