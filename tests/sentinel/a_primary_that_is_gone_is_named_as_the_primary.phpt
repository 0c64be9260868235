--TEST--
A primary that refuses connections is named as the one that the Sentinels name; a command that it answers is no such failure.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
skip_without_sentinel();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';

/* Without a replica there is no failover. */
$sentinels = start_sentinels(3, 0);
$lock = new RedisLock($sentinels->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
check('it is well', $lock->acquire('k', 60) !== null);
$lock->close();
$sentinels->primaryServer()->kill();
throws('a primary that is gone', 'RedisLockConnectionException',
    '~refused.* \(the Sentinels name it the primary of \S+; a failover may be under way\)~',
    fn () => $lock->isLocked('k'), slack(10.0));

done();
?>
--EXPECT--
ok
