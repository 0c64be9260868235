--TEST--
stats() counts the operations of the process.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$zero = RedisLock::stats();
same('all zero', 0, array_sum(numbers()));
foreach (['wait_time', 'hold_time', 'round_trip'] as $name) {
    same("$name: nothing", [0, 0.0, 0],
        [$zero[$name]['count'], $zero[$name]['sum'], array_sum($zero[$name]['buckets'])]);
}

$since = function (callable $call): array {
    $before = numbers();
    $call();
    $after = numbers();
    $grown = [];
    foreach ($after as $name => $value) {
        $grown[$name] = $value - $before[$name];
    }
    unset($grown['tls_handshakes'], $grown['tls_resumed']);
    return array_filter($grown);
};
$lock = new RedisLock($server->dsn());
same('acquire()', ['acquired' => 1, 'tries' => 1, 'connects' => 1, 'scripts_loaded' => 1],
    $since(fn () => $lock->acquire('k', 30, token: 'mine')));
same('refusal', ['refused' => 1, 'tries' => 1], $since(fn () => $lock->acquire('k')));
same('extend()', ['extended' => 1, 'scripts_loaded' => 1],
    $since(fn () => $lock->extend('k', 'mine', 10)));
same('extend()', ['not_extended' => 1], $since(fn () => $lock->extend('k', 'x', 10)));
same('release()', ['not_released' => 1, 'scripts_loaded' => 1],
    $since(fn () => $lock->release('k', 'x')));
$lock->release('another', 'x'); // scripts are loaded now
same('queries', [],
    $since(fn () => [$lock->isLocked('k'), $lock->owner('k'), $lock->remaining('k')]));
$polling = new RedisLock($server->dsn(), wake: false);
foreach ([[$polling, 'a try after each delay'],
        [$lock, 'a nudge after each delay, and the try at the end']] as [$waiting, $how]) {
    /* A stall may take all the time of the wait. */
    undisturbed(0.005, function () use ($since, $waiting, $how, $polling, $lock): void {
        $waited = RedisLock::stats()['wait_time']['sum'];
        $wait = $since(fn () => $waiting->acquire('k', wait: 0.05)) + ['probes' => 0];
        $waited = RedisLock::stats()['wait_time']['sum'] - $waited;
        same('a wait in vain', [1, false, false],
            [$wait['timed_out'] ?? 0, isset($wait['refused']), isset($wait['acquired'])]);
        between('seconds', 0.05, slack(2.0), $waited);
        $looks = $waiting === $polling ? $wait['tries'] - 1 : $wait['probes'] + $wait['tries'] - 2;
        check($how, $looks >= 1 && $wait['backoffs'] === $looks
            && ($wait['probes'] > 0) === ($waiting === $lock), $wait);
    });
}
same('release()', ['released' => 1], $since(fn () => $lock->release('k', 'mine')));
$seen =
    $since(fn () => throws('refused', 'RedisLockConnectionException', '~.~',
        fn () => (new RedisLock('unix:///nowhere/s'))->acquire('k')));
same('a failure', 1, $seen['failed'] ?? 0);
$lock->close();
same('connects', ['connects' => 1], $since(fn () => $lock->isLocked('k')));
foreach ($server->client()->clients() as $client) {
    $server->cmd('CLIENT', 'KILL', 'ID', $client['id']);
}
usleep(150000);
same('reconnects', ['connects' => 1, 'reconnects' => 1], $since(fn () => $lock->isLocked('k')));

$fake = fake_server([rule('SET', ['forward', wait_for(room(0.5)), 'reply'], times: 1)], $server);
$seen =
    $since(fn () => throws('late', 'RedisLockConnectionException', '~.~',
        fn () => (new RedisLock($fake->dsn(), timeout: room(0.1),
            connectTimeout: room(0.1)))->acquire('k2')));
same('an undo', 1, $seen['grants_undone'] ?? 0);

done();
?>
--EXPECT--
ok
