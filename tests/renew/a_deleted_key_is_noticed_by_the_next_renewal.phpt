--TEST--
The next renewal notices a deleted key, after a third of the TTL at most.
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
$lock = new RedisLock($server->dsn());
$ttl = room(0.9);
for ($i = 0; $i < 4; $i++) {
    $lease = $lock->lease('k', $ttl);
    usleep((int) ($i * 1e6 * $ttl / 9));
    same('held', true, $lease->isHeld());
    $server->cmd('DEL', 'k');
    $watch = new Stopwatch();
    until_lost("delete $i", $lease);
    $watch->within("noticed after delete $i", $ttl / 3 + slack(0.2));
    same('lost', $i + 1, lost());
}
without_traffic('afterwards', $server, function () use ($lease, $ttl): void {
    same('remaining()', 0.0, $lease->remaining());
    throws('assertHeld()', 'RedisLockLostException',
        '~^the lock "k" was lost: its key was deleted at the server$~', $lease->assertHeld(...));
    throws('detach()', 'RedisLockLostException', '~"k" was lost~', $lease->detach(...));
    same('extend()', false, $lease->extend(10));
    same('verify()', false, $lease->verify());
    same('release()', false, $lease->release());
    usleep((int) (0.45e6 * $ttl));
});
same('lost is counted once', 4, lost());

/* The lock is free: a new lease can take it. */
$lease = $lock->lease('k', $ttl);
same('taken again', true, $lease->isHeld());
unset($lease);

$thrown = throws('a section', 'RedisLockLostException', '~"k" was lost~',
        fn () => $lock->synchronized('k', function ($lease) use ($server): int {
    $server->cmd('DEL', 'k');
    until_lost('in the section', $lease);
    return 5;
}, $ttl));
same('getResult()', 5, $thrown->getResult());
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
