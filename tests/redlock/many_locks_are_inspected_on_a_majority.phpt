--TEST--
inspectAll() on several servers is the view of a majority, also when one server hangs or is gone.
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
$names = array_map(fn (int $i) => "k$i", range(1, 200));
foreach (array_slice($names, 0, 50) as $name) {
    $members->occupy($name, RedisLock::token(), 0);
    $members->occupy($name, RedisLock::token(), 1, 2);
}
$judge = function (string $what) use ($lock, $names): void {
    $states = $lock->inspectAll($names);
    same("$what: keys", $names, array_keys($states));
    same("$what: locked", array_slice($names, 0, 50), array_keys(array_filter($states)));
};
$judge('all are well');
$members->pause(2);
$start = now();
$states = $lock->inspectAll(array_slice($names, 100));
same('one hangs: none is locked', [], array_filter($states));
$members->resume(2);
$members->kill(0);
$judge('one is gone');
foreach ([1, 2] as $i) {
    $members->servers[$i]->cmd('RPUSH', 'list', 'x');
}
same('a key of another type', ['list' => null, 'k1' => true], array_map(
    fn (?RedisLockState $state) => $state === null ? null : true,
    $lock->inspectAll(['list', 'k1'])));
$members->kill(1);
$thrown = throws('two are gone', 'RedisLockConnectionException', '~2 of 3 servers failed~',
    fn () => $lock->inspectAll($names), slack(5.0));
same('getReasons()', 2, count($thrown->getReasons()));

done();
?>
--EXPECT--
ok
