--TEST--
A section may release or detach its lease: nothing is thrown, and a detached lock stays.
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
$monitor = $server->monitor();
same('released', 'x', $lock->synchronized('k', function (RedisLockLease $lease): string {
    same('release()', true, $lease->release());
    return 'x';
}));
same('releases sent', 1,
    count(array_filter($monitor->lines(), fn ($line) => str_starts_with($line, 'EVAL SCRIPT'))));
same('keys', [], $server->keys());
$token = $lock->synchronized('k', fn (RedisLockLease $lease) => $lease->detach(), 60);
same('value', $token, $server->cmd('GET', 'k'));
$next = null;
same('taken again', 'y',
        $lock->synchronized('other', function (RedisLockLease $lease) use ($lock, &$next): string {
    $lease->release();
    $next = $lock->lease('other');
    return 'y';
}));
is_whole('the next one', $server, $next);

done();
?>
--EXPECT--
ok
