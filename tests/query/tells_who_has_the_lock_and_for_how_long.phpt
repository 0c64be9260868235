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

$server->cmd('SET', 'k', "some\0body", 'PX', 100);
same("somebody else's", [true, "some\0body"], [$lock->isLocked('k'), $lock->owner('k')]);
between('remaining()', 0.0, 0.1, $lock->remaining('k'));
usleep(150000);
same('expired', [false, null, null],
    [$lock->isLocked('k'), $lock->owner('k'), $lock->remaining('k')]);

$server->cmd('SET', 'k', 'somebody');
same('without a TTL', INF, $lock->remaining('k'));

done();
?>
--EXPECT--
ok
