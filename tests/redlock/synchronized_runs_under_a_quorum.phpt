--TEST--
synchronized() runs with the lock on all servers and frees it on all, also after an exception and with a minority dead.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock();
$seen = $lock->synchronized('k', function (RedisLockLease $lease) use ($members): string {
    $members->hold('inside', 'k', $lease->token());
    return 'result';
});
same('result', 'result', $seen);
$members->empty('after it');
throws('exception', 'LogicException', '~mine~',
    fn () => $lock->synchronized('k', fn () => throw new LogicException('mine')));
$members->empty('after an exception');
$members->occupy('k', 'theirs', 0, 1);
throws('taken', 'RedisLockTimeoutException', '~k~',
    fn () => $lock->synchronized('k', fn () => print "no\n", 30, 0.1));
$members->empty('taken', [2]);
$members->flush();
$members->kill(0);
same('one dead', 7, $lock->synchronized('k', fn () => 7));
$members->empty('one dead', [1, 2]);
$thrown = throws('lost in the section', 'RedisLockLostException', '~lost~',
        fn () => $lock->synchronized('k', function (RedisLockLease $lease) use ($members): int {
    $members->kill(1);
    eventually('it is lost', fn () => !$lease->isHeld());
    return 8;
}, room(1.0)), 8.0);
same('getResult()', 8, $thrown?->getResult());
$members->empty('lost', [2]);

done();
?>
--EXPECT--
ok
