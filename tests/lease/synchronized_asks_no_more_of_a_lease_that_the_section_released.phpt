--TEST--
synchronized() reports no loss after its section has released the lease, but does report a loss that was known before.
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
$timeout = slack(0.2);
$lock = new RedisLock($server->dsn(), timeout: $timeout, connectTimeout: $timeout);
$nested = new RedisLock($server->dsn(), reentrant: true);
$other = new RedisLock($server->dsn(), persistent: false);
$told = [];
$onLoss = function (RedisLockLease $lease) use (&$told): void {
    $told[] = $lease->loss()->name;
};
$theirs = null;

// Released, and taken by another client.
$result = $lock->synchronized('k', function (RedisLockLease $lease) use ($other, &$theirs): string {
    same('release()', true, $lease->release());
    $theirs = $other->lease('k', 60);
    same('loss() after release()', RedisLockLoss::Released, $lease->loss());
    return 'done';
}, 60, onLoss: $onLoss);
same('released: result', 'done', $result);
same('theirs', true, $theirs->verify());
unset($theirs);

// The answer to the release is lost, so it throws, and is carried out all the same.
foreach (['taken by another client' => true, 'free' => false] as $what => $isTaken) {
    $result = $lock->synchronized('k',
            function (RedisLockLease $lease) use ($server, $other, $isTaken, &$theirs,
                    $what): string {
        $server->pause();
        throws("$what: release()", 'RedisLockConnectionException', '~outcome is unknown~',
            fn () => $lease->release());
        $server->resume();
        eventually("$what: the server has carried it out", fn () => $server->locks() === []);
        $theirs = $isTaken ? $other->lease('k', 60) : null;
        same("$what: loss()", RedisLockLoss::Released, $lease->loss());
        return 'done';
    }, 60, onLoss: $onLoss);
    same("$what: result", 'done', $result);
    same("$what: theirs", $isTaken, $theirs?->verify() ?? false);
    unset($theirs);
}

// The lock is entered again: the section ends its part, and the outer lease is lost then.
$outer = $nested->lease('k', 60, onLoss: $onLoss);
$result =
        $nested->synchronized('k', function (RedisLockLease $lease) use ($server, $outer): string {
    same('nested: release()', true, $lease->release());
    $server->cmd('SET', 'k', 'theirs', 'PX', 60000);
    same('nested: verify() of the outer one', false, $outer->verify());
    same('nested: loss()', [RedisLockLoss::Released, RedisLockLoss::TakenOver],
        [$lease->loss(), $outer->loss()]);
    return 'done';
}, 60, onLoss: fn () => check('nested: the onLoss of what was released', false));
same('nested: result', 'done', $result);
same('the outer onLoss alone is called', ['TakenOver'], $told);
unset($outer);
$server->cmd('FLUSHALL');

// The lease was lost, and knew it, when it was released: the section worked without the lock.
$short = room(0.2);
$ways = [
    'expired' => fn () => usleep((int) (1.25e6 * $short)),
    'deleted' => fn (RedisLockLease $lease) => $server->cmd('DEL', 'k') . $lease->verify(),
];
foreach ($ways as $what => $way) {
    $ttl = $what === 'expired' ? $short : 60;
    $lost = throws($what, 'RedisLockLostException', '~"k" was lost~',
            fn () => $lock->synchronized('k',
                    function (RedisLockLease $lease) use ($way, $what): string {
        $way($lease);
        same("$what: release()", false, $lease->release());
        return "result of $what";
    }, $ttl, renew: false));
    same("$what: getResult()", "result of $what", $lost?->getResult());
    same("$what: getLoss()", $what === 'expired' ? RedisLockLoss::Expired : RedisLockLoss::Deleted,
        $lost?->getLoss());
}
// Only release() reports a loss that only release() finds.
$result = $lock->synchronized('k', function (RedisLockLease $lease) use ($server): string {
    $server->cmd('DEL', 'k');
    same('found by release()', [false, RedisLockLoss::Released],
        [$lease->release(), $lease->loss()]);
    return 'done';
}, 60, onLoss: $onLoss);
same('found by release(): result', 'done', $result);
same('told of nothing else', ['TakenOver'], $told);

done();
?>
--EXPECT--
ok
