--TEST--
redislock top shows the locks of the primary that the Sentinels name.
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
require __DIR__ . '/../inc/tool.inc';

$sentinels = start_sentinels();
$lock = new RedisLock($sentinels->dsn(), label: 'web');
$ignored = $lock->acquire('k', 60);
same('locks', ['k' => 'web'], holders($sentinels->dsn()));
same('by one Sentinel', ['k' => 'web'], holders($sentinels->dsn(which: [1])));

done();
?>
--EXPECT--
ok
