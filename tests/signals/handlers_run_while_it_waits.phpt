--TEST--
Signal handlers run while a wait lasts, and the wait ends at its deadline all the same.
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

$server = start_server();
$server->cmd('SET', 'k', 'somebody');
pcntl_async_signals(true);
$times = [];
pcntl_signal(SIGUSR1, function () use (&$times): void {
    $times[] = now();
});
foreach ([true, false] as $restart) {
    pcntl_signal(SIGUSR2, fn () => null, $restart);
}
$lock = new RedisLock($server->dsn(), retryDelay: 60, retryMaxDelay: 60);
$unit = under_valgrind() ? 1.0 : room(1.0);
$wait = under_valgrind() ? 10.0 : 1.2 * $unit;
/* Two signals that come while the process stalls are one. */
undisturbed(0.05, function () use ($lock, $unit, $wait, &$times): void {
    $times = [];
    $sender = signal_later(SIGUSR1, 0.2 * $unit, times: 3, every: 0.1 * $unit);
    $start = now();
    same('acquire()', null, $lock->acquire('k', wait: $wait));
    $end = now();
    $sender->finish();
    same('handlers', 3, count($times));
    check('they ran during the wait', $end - $times[0] > 0.3 * $unit,
        [$times[0] - $start, $end - $start]);
    between('seconds', $wait, $wait + slack(2.0), $end - $start);
});

done();
?>
--EXPECT--
ok
