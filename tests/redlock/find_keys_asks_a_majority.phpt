--TEST--
findKeys() on several servers lists the keys of all that answer, and throws if these are no majority.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock(timeout: 0.3, connectTimeout: 0.3);
foreach (['a', 'b', 'c'] as $i => $name) {
    $members->occupy($name, RedisLock::token(), $i);
}
$members->occupy('d', RedisLock::token(), 0, 1, 2);
same('all are well', ['a', 'b', 'c', 'd'], $lock->findKeys());
$members->kill(1);
same('one is gone', ['a', 'c', 'd'], $lock->findKeys());
$members->kill(2);
throws('two are gone', 'RedisLockConnectionException', '~~', fn () => $lock->findKeys(),
    slack(5.0));

done();
?>
--EXPECT--
ok
