--TEST--
release() after the TTL returns false, and does not free the lock of the next holder.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$ttl = room(0.05);
undisturbed(0.02, function () use ($lock, $ttl, &$first): void {
    $first = $lock->acquire('k', $ttl);
});
usleep((int) (1.6e6 * $ttl));
same('nobody has it', false, $lock->release('k', $first));
$second = $lock->acquire('k', 20);
same('somebody else has it', false, $lock->release('k', $first));
same('value', $second, $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
