--TEST--
synchronized() returns the value of a section that returns by reference.
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
final class Counter
{
    public int $n = 1;
}
$counter = new Counter();
$result = $lock->synchronized('k', function &() use ($counter): int {
    return $counter->n;
});
same('result', 1, $result);
$result++;
same('no reference', 1, $counter->n);
$all = [$lock->synchronized('k', function &() use ($counter): int {
    return $counter->n;
})];
$all[0]++;
same('no reference', 1, $counter->n);
$lost = throws('lost', 'RedisLockLostException', '~"k"~',
        fn () => $lock->synchronized('k', function &() use ($counter, $server): int {
    $server->cmd('DEL', 'k');
    return $counter->n;
}));
same('getResult()', 1, $lost->getResult());

done();
?>
--EXPECT--
ok
