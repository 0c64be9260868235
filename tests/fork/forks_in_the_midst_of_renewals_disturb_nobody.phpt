--TEST--
Forks during renewals disturb no process: the parent's leases stay held, and the children end well, with leases of their own or without.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

require __DIR__ . '/../inc/fake_server.inc';

/* Each renewal takes a while: one is on its way at many of the forks. */
$server = start_server();
/* A renewal that stalls may time out, and costs its connection. */
undisturbed(0.5, function () use ($server): void {
    $fake = fake_server([], $server, true);
    $lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
    [$lost, $renewed] = [lost(), renewed()];
    $leases = [];
    for ($n = 0; $n < 8; $n++) {
        $leases[] = $lock->lease("k$n", 1.2);
        usleep(50000);
    }
    $fake->rules([rule('EVALSHA', [wait_for(0.02), 'pass'])]);
    $until = now() + 1.5;
    $forks = 0;
    $running = [];
    while (now() < $until) {
        $running[] = in_fork(function () use ($leases, $server, $forks): void {
            same('held in the child', [],
                array_values(array_filter($leases, fn ($lease) => $lease->isHeld())));
            if ($forks % 4 === 0) {
                $own = (new RedisLock($server->dsn()))->lease("own$forks", room(0.3));
                renewals_go_on('in the child');
                same('release() in the child', true, $own->release());
            } elseif ($forks % 4 === 1) {
                unset($leases);
            } elseif ($forks % 4 === 2) {
                same('release() of the parent\'s', false, $leases[0]->release());
            }
        });
        $forks++;
        usleep(10000);
        if (count($running) > 5) {
            reap(array_shift($running));
        }
    }
    array_map(reap(...), $running);
    check('there were many', $forks >= 10, $forks);
    stays_held('the parent', $server, $leases, 0.5);
    same('lost', 0, lost() - $lost);
    check('it was renewed all the time', renewed() - $renewed >= 8, renewed() - $renewed);
    between('connections: one of the script, and now and then a new one of the watchdog', 2,
        $forks / 2, $fake->connections());
    unset($leases);
    same('keys', [], $server->keys());
});

/* A parent that waits for another lock, with leases, when a signal handler forks. */
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('kept', room(0.9));
$server->cmd('SET', 'other', 'somebody', 'PX', (int) (1000 * room(0.9)));
$children = [];
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () use (&$children, $lease): void {
    $children[] = in_fork(function () use ($lease): void {
        same('held in the child', false, $lease->isHeld());
        exit(0); // not back to the wait
    });
});
$sender = signal_later(SIGUSR1, room(0.1), 5, room(0.1));
$won = $lock->lease('other', room(0.9), wait: 10);
$sender->finish();
same('the wait is won', true, $won?->isHeld());
same('forks', 5, count($children));
array_map(reap(...), $children);
stays_held('both', $server, [$lease, $won], 1.0);

done();
?>
--EXPECT--
ok
