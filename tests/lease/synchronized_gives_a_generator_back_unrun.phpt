--TEST--
A section that is a generator function returns before its body runs, so the lock is free again then.
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
$generator = $lock->synchronized('k', function (RedisLockLease $lease) {
    yield $lease->isHeld();
    yield 'more';
});
same('class', 'Generator', $generator::class);
same('keys', [], $server->keys());
same('the lease in its body', [false, 'more'], iterator_to_array($generator, false));

done();
?>
--EXPECT--
ok
