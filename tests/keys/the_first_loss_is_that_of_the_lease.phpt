--TEST--
A lease of several keys is lost with the first of them; onLoss is called once, messages name that key, and the other keys stay until the release.
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
$called = [];
$onLoss = function (RedisLockLease $lease) use (&$called): void {
    $called[] = [$lease->keys(), $lease->loss()];
};
foreach (['verify()' => fn ($lease) => $lease->verify(),
    'extend()' => fn ($lease) => $lease->extend(20)] as $what => $find) {
    $called = [];
    $lease = $lock->lease(['a', 'b', 'c'], 10, onLoss: $onLoss);
    $server->cmd('SET', 'b', 'another', 'PX', 60000);
    same("$what: false", false, $find($lease));
    same("$what: isHeld()", false, $lease->isHeld());
    same("$what: remaining()", 0.0, $lease->remaining());
    same("$what: onLoss", [[['a', 'b', 'c'], RedisLockLoss::TakenOver]], $called);
    $server->cmd('DEL', 'a');
    $server->cmd('DEL', 'c');
    same("$what: a second look", false, $find($lease));
    same("$what: loss()", RedisLockLoss::TakenOver, $lease->loss());
    $thrown = throws("$what: assertHeld()", 'RedisLockLostException',
        '~^the lock "b" was lost: another holder has taken it over$~',
        fn () => $lease->assertHeld());
    same("$what: getKey()", 'b', $thrown->getKey());
    same("$what: getLoss()", RedisLockLoss::TakenOver, $thrown->getLoss());
    same("$what: onLoss is called once", 1, count($called));
    same("$what: release()", false, $lease->release());
    same("$what: loss() after the release", RedisLockLoss::TakenOver, $lease->loss());
    same("$what: the other holder keeps its lock", 'another', $server->cmd('GET', 'b'));
    $server->cmd('DEL', 'b');
    same("$what: keys", [], $server->locks());
}

/* The others stay until the release. */
$lease = $lock->lease(['a', 'b', 'c']);
$server->cmd('DEL', 'b');
same('verify()', false, $lease->verify());
same('the others', 2, present($server, 'a', 'c'));
unset($lease);
same('keys', [], $server->locks());

/* The thread that renews the keys finds the loss. */
$called = [];
$lease = $lock->lease(['a', 'b'], room(0.6), onLoss: $onLoss);
$server->cmd('DEL', 'b');
eventually('the thread', function () use (&$called): bool {
    return $called !== [];
}, 5.0);
same('the thread: onLoss', [[['a', 'b'], RedisLockLoss::Deleted]], $called);
unset($lease);

/* The end of a section. */
$thrown = throws('a section', 'RedisLockLostException',
    '~^the lock "b" was lost: when the section ended, its key had been deleted~',
    fn () => $lock->synchronized(['a', 'b', 'c'], function () use ($server) {
        $server->cmd('DEL', 'b');
        return 'result';
    }));
same('a section: getResult()', 'result', $thrown->getResult());
same('a section: keys', [], $server->locks());

done();
?>
--EXPECT--
ok
