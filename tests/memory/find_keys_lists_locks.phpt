--TEST--
findKeys() of memory:// lists the locks that are held at that moment of its clock.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

$lock = new RedisLock('memory://find', 'p:');
same('none', [], $lock->findKeys());
for ($i = 0; $i < 700; $i++) {
    $token = $lock->acquire("k*$i", $i < 350 ? 10 : 100);
}
same('all', 700, count($lock->findKeys()));
same('one', ['k*8'], array_values(array_intersect($lock->findKeys('k*8'), ['k*8'])));
same('no pattern', [], $lock->findKeys('*'));
RedisLock::advance(20);
same('later', 350, count($lock->findKeys('k*')));
same('another server', [], (new RedisLock('memory://other'))->findKeys());
throws('a fault', 'RedisLockConnectionException', '~~',
    fn () => (new RedisLock('memory://find?fail=refused'))->findKeys());
throws('a lost reply', 'RedisLockConnectionException', '~~',
    fn () => (new RedisLock('memory://find?fail=lost-reply&timeout=0.1'))->findKeys());

done();
?>
--EXPECT--
ok
