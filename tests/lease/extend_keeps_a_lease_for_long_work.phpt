--TEST--
Steps of work with an extend() between them hold the lock longer than one TTL.
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
$ttl = room(1.0);
$lease = $lock->lease('k', $ttl, renew: false);
$until = now() + 1.5 * $ttl;
while (now() < $until) {
    usleep(50000);
    if (!under_valgrind()) {
        same('extend()', true, $lease->extend($ttl));
        $lease->assertHeld();
    }
}
check('heldFor()', $lease->heldFor() >= 1.5 * $ttl);
under_valgrind() || is_whole('it', $server, $lease);

done();
?>
--EXPECT--
ok
