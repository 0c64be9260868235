--TEST--
isHeld() returns false at the latest when the server does not have the key any more.
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
$lock->isLocked('k');
for ($i = 0; $i < 4; $i++) {
    undisturbed(0.05, function () use ($lock, $i, &$lease): void {
        $lease = $lock->lease("k$i", room(0.1), renew: false);
    });
    while ($server->cmd('EXISTS', "k$i") === 1) {
    }
    same('isHeld()', false, $lease->isHeld());
}

done();
?>
--EXPECT--
ok
