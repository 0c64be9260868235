--TEST--
A wait goes on for outageWait seconds while too few servers answer; with 0 the first failure is thrown.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

/** @return float the seconds until the connection exception */
$fails = function (RedisLock $lock, string $how, string $regex = '~.~') {
    $calls = ['acquire()' => fn () => $lock->acquire('k', wait: 20),
        'lease()' => fn () => $lock->lease('k', wait: 20),
        'synchronized()' => fn () => $lock->synchronized('k', fn () => null, wait: 20),
        'an own token' => fn () => $lock->acquire('k', wait: 20, token: 'mine')];
    $took = [];
    foreach ($calls as $name => $call) {
        $took[] = elapsed(fn () =>
            throws("$how, $name", 'RedisLockConnectionException', $regex, $call));
    }
    return $took;
};
$at_once = fn (string $how, array $took) =>
    check("$how: at once", max($took) < slack(2.0), $took);

/* One server. */
$port = refusing_port($holder);
$at_once('one', $fails(new RedisLock("redis://127.0.0.1:$port", outageWait: 0), 'one',
    "~127\.0\.0\.1:$port: cannot connect: Connection refused~"));
$at_once('DSN',
    $fails(new RedisLock("redis://127.0.0.1:$port?outage_wait=0", outageWait: 30), 'DSN'));
$at_once('memory', $fails(new RedisLock('memory://?fail=refused&outage_wait=0'), 'memory'));
$at_once('memory that does not answer',
    $fails(new RedisLock('memory://?fail=timeout&timeout=0.05', outageWait: 0), 'timeout'));
throws('readonly', 'RedisLockServerException', '~READONLY~',
    fn () => (new RedisLock('memory://?fail=readonly', outageWait: 0))->acquire('k', wait: 20));

/* The time that was asked for, and no more than the wait. */
$took = $fails(new RedisLock("redis://127.0.0.1:$port", outageWait: 0.3), 'for a while');
check('as long as was asked for', min($took) >= 0.3 && max($took) < slack(3.0), $took);
foreach ([null, INF, 30.0, 1e10] as $time) {
    $lock = new RedisLock("redis://127.0.0.1:$port", outageWait: $time);
    $took = elapsed(fn () => throws('the wait', 'RedisLockConnectionException', '~refused~',
        fn () => $lock->acquire('k', wait: 0.3)));
    check('until the deadline', $took >= 0.3 && $took < slack(3.0), $took);
}

/* With several servers the message names the failed ones that leave no majority. */
$ports = [$port, refusing_port($second), refusing_port($third)];
$lock = new RedisLock(array_map(fn ($port) => "redis://127.0.0.1:$port", $ports), outageWait: 0);
$at_once('three', $fails($lock, 'three', '~no quorum \([23] of 3~'));
try {
    $result = $lock->acquire('k', wait: 20);
} catch (RedisLockConnectionException $e) {
    check('reasons', count($e->getReasons()) >= 2, $e->getReasons());
}

/* A lock that is held is no outage. */
$server = start_server();
$lock = new RedisLock($server->dsn(), outageWait: 0);
$server->cmd('SET', 'k', 'somebody', 'PX', 60000);
$took = elapsed(fn () => $lock->acquire('k', wait: 0.3), $result);
same('held', null, $result);
check('waited', $took >= 0.3, $took);

/* In the queue. */
$start = now();
$killer = in_fork(function () use ($server): void {
    usleep((int) (1e6 * room(0.3)));
    $server->kill();
});
throws('queued', 'RedisLockConnectionException', '~.~', fn () => $lock->acquire('k', 20, 30));
$took = now() - $start;
reap($killer);
check('a waiter in the queue is told', $took >= 0.25 && $took < slack(8.0), $took);

done();
?>
--EXPECT--
ok
