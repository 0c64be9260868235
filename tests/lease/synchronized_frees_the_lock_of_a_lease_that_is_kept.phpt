--TEST--
A lease that the section has kept outlives the section, but is not held any more.
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
$kept = null;
$result = $lock->synchronized('k', function (RedisLockLease $lease) use (&$kept): RedisLockLease {
    return $kept = $lease;
});
same('the same object', true, $result === $kept);
same('isHeld()', false, $kept->isHeld());
same('keys', [], $server->keys());
$next = $lock->lease('k');
same('release()', false, $kept->release());
same('extend()', false, $kept->extend(10));
throws('assertHeld()', 'RedisLockLostException', '~released~', fn () => $kept->assertHeld());
unset($kept, $result);
is_whole('the next one', $server, $next);

done();
?>
--EXPECT--
ok
