--TEST--
A second release() returns false and sends nothing. So do extend(), verify() and the end of the object.
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
$lease = $lock->lease('k', 20);
same('release()', true, $lease->release());
$next = $lock->lease('k', 20);
without_traffic('after release()', $server, function () use (&$lease): void {
    same('release()', false, $lease->release());
    same('extend()', false, $lease->extend(10));
    same('verify()', false, $lease->verify());
    $lease = null;
});
is_whole('the next one', $server, $next);

done();
?>
--EXPECT--
ok
