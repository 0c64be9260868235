--TEST--
An exception whose trace keeps the lease does not keep the lock: it is free when synchronized() ends.
--EXTENSIONS--
redislock
--INI--
zend.exception_ignore_args=0
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
try {
    $lock->synchronized('k', function (RedisLockLease $lease): void {
        throw new LogicException('x');
    });
} catch (LogicException $thrown) {
}
$kept = $thrown->getTrace()[0]['args'][0];
same('the trace has the lease', RedisLockLease::class, $kept::class);
same('keys', [], $server->keys());
same('isHeld()', false, $kept->isHeld());
$next = $lock->lease('k');
unset($thrown, $kept);
is_whole('the next one', $server, $next);

done();
?>
--EXPECT--
ok
