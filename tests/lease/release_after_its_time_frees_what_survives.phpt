--TEST--
When the proof is over, release() returns false but frees a key that still exists, and so does the end of the object.
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
foreach (['release()', 'unset'] as $how) {
    undisturbed(0.1, function () use ($lock, $server, &$lease): void {
        $lease = null;
        $lease = $lock->lease('k', room(0.15), renew: false);
        same('the key lives on', 1, $server->cmd('PEXPIRE', 'k', 60000));
    });
    eventually('it is over', fn () => !$lease->isHeld(), 2.0);
    $how === 'unset' || same('release()', false, $lease->release());
    $lease = null;
    same("$how: keys", [], $server->keys());
}

done();
?>
--EXPECT--
ok
