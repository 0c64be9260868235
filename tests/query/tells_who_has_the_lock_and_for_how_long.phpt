--TEST--
isLocked(), owner() and remaining() report on a lock of any client.
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
same('free', [false, null, null], [$lock->isLocked('k'), $lock->owner('k'), $lock->remaining('k')]);

$token = $lock->acquire('k', 20);
same('ours', [true, $token], [$lock->isLocked('k'), $lock->owner('k')]);
between('remaining()', 5.0, 20.0, $lock->remaining('k'));
$lock->release('k', $token);
same('released', [false, null, null],
    [$lock->isLocked('k'), $lock->owner('k'), $lock->remaining('k')]);

$ttl = room(0.1);
undisturbed(0.02, function () use ($server, $lock, $ttl): void {
    $server->cmd('SET', 'k', "some\0body", 'PX', (int) (1000 * $ttl));
    same("somebody else's", [true, "some\0body"], [$lock->isLocked('k'), $lock->owner('k')]);
    between('remaining()', 0.0, $ttl, $lock->remaining('k') ?? INF);
});
usleep((int) (1.5e6 * $ttl));
same('expired', [false, null, null],
    [$lock->isLocked('k'), $lock->owner('k'), $lock->remaining('k')]);

$server->cmd('SET', 'k', 'somebody');
same('without a TTL', INF, $lock->remaining('k'));

done();
?>
--EXPECT--
ok
