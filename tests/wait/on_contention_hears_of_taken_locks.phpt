--TEST--
onContention() hears of each call that has found its lock taken, with the wait and the holder, and of no other call.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), 'p:', label: 'web-1');
$heard = [];
RedisLock::onContention(function (string $key, float $waited, bool $acquired, ?string $holder)
        use (&$heard): void {
    $heard[] = func_get_args();
});
$token = $lock->acquire('k', 60);
same('a free lock', [], $heard);
$lock->release('k', $token);
$lock->synchronized('k', fn () => 1);
$lock->once('o', fn () => 1, for: 60);
same('work that is done', false, $lock->once('o', fn () => 1, for: 60));
same('once', [], $heard);

$token = $lock->acquire('k', 60);
same('refused', null, $lock->acquire('k', 60));
same('heard', ['k', false, null], [$heard[0][0], $heard[0][2], $heard[0][3]]);
same('refused after a wait', null, $lock->acquire('k', 60, 0.05));
same('heard', ['k', false, 'web-1'], [$heard[1][0], $heard[1][2], $heard[1][3]]);
between('waited', 0.05, 30, $heard[1][1]);
throws('synchronized()', 'RedisLockTimeoutException', '~"k": it is taken~',
    fn () => $lock->synchronized('k', fn () => 1));
same('several keys', null, $lock->lease(['a', 'k'], 60));
same('once()', 4, count($heard));
same('its key', 'k', $heard[3][0]);
$lock->release('k', $token);

/* A wait that is successful. */
$short = $lock->acquire('k', 0.1);
$lease = $lock->lease('k', 60, 10);
check('got', $lease->isHeld());
same('heard of a success', ['k', true], [$heard[4][0], $heard[4][2]]);
$lease->release();

/* An observer that throws ends the call, and the lock that it has won is free. */
RedisLock::onContention(fn () => throw new DomainException('observed'));
$short = $lock->acquire('k', 0.1);
throws('an exception', 'DomainException', '~observed~', fn () => $lock->acquire('k', 60, 10));
same('the lock', false, $lock->isLocked('k'));
$token = $lock->acquire('k', 60);
throws('an exception of a refusal', 'DomainException', '~observed~', fn () => $lock->acquire('k'));

/* What the observer does is not observed; it may replace itself, and be removed. */
$count = 0;
RedisLock::onContention(function () use ($lock, &$count): void {
    $count++;
    same('inside', null, $lock->acquire('k'));
    RedisLock::onContention(function () use (&$count): void {
        $count += 10;
        RedisLock::onContention(null);
    });
});
foreach ([1, 11, 11] as $expected) {
    same('refused', null, $lock->acquire('k'));
    same('count', $expected, $count);
}
throws('no callable', 'TypeError', '~must be a valid callback or null~',
    fn () => RedisLock::onContention('no such function'));

/* A call that has failed has found no lock taken, nor has a call that is repeated until it can
 * ask. */
$heard = [];
RedisLock::onContention(function () use (&$heard): void {
    $heard[] = func_get_args();
});
$failing = new RedisLock('memory://?fail=lost-reply', timeout: 0.05);
throws('a failure', 'RedisLockConnectionException', '~.~',
    fn () => $failing->acquire('k', 60, 0.2));
$server->kill();
throws('no server', 'RedisLockConnectionException', '~.~', fn () => $lock->acquire('k', 60, 0.2));
$asked = 0;
RedisLock::waitWith(function () use (&$asked, $server): void {
    if (++$asked === 10) {
        $server->start();
    }
    usleep(20000);
});
$token = $lock->acquire('k', 60, 20);
check('repeated until the server was there', $asked >= 10 && $token !== null);
same('heard of failures', [], $heard);

done();
?>
--EXPECT--
ok
