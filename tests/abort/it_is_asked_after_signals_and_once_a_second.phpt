--TEST--
$abort is asked as soon as the call has to wait, after each run of signal handlers, and once a second.
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
$lock = new RedisLock($server->dsn());
hold($server, 'k');

/* Once a second: with a place in the queue, and with pauses that are longer. */
foreach ([[], ['wake' => false, 'retryDelay' => 60, 'retryMaxDelay' => 60]] as $options) {
    undisturbed(0.2, function () use ($server, $options): void {
        $times = [];
        $lock = new RedisLock($server->dsn(), ...$options);
        $start = now();
        same('acquire()', null, $lock->acquire('k', wait: 2.5,
            abort: function () use (&$times): bool {
                $times[] = now();
                return false;
            }));
        between('asked', 3, 3, count($times));
        between('at once', 0, slack(0.5), $times[0] - $start);
        between('no sooner than a second later', 1.0, slack(1.8), $times[1] - $times[0]);
        between('and again', 1.0, slack(1.8), $times[2] - $times[1]);
    });
}

/* After signal handlers: a handler that only sets a flag ends the wait, at once. */
pcntl_async_signals(true);
$stop = false;
pcntl_signal(SIGUSR1, function () use (&$stop): void {
    $stop = true;
});
foreach ([true, false] as $wakes) {
    $lock = new RedisLock($server->dsn(), wake: $wakes, retryDelay: 60, retryMaxDelay: 60);
    for ($i = 0; $i < 2; $i++) {
        /* The signal comes between the first question and the second one. */
        undisturbed(0.1, function () use ($lock, &$stop): void {
            $asked = [];
            $stop = false;
            $sender = signal_later(SIGUSR1, 0.3);
            $abort = function () use (&$stop, &$asked): bool {
                $asked[] = $stop;
                return $stop;
            };
            $took = elapsed(fn () => $lock->lease('k', wait: INF, abort: $abort), $lease);
            $sender->finish();
            same('lease()', null, $lease);
            same('the answers', [false, true], $asked);
            between('seconds', 0.2, slack(0.9), $took);
        });
    }
}

/* After each run of them, not only once a second. Where the machine stalls one run handles several
 * signals. */
$runs = 0;
$is_asked = false;
pcntl_signal(SIGUSR2, function () use (&$runs, &$is_asked): void {
    $runs += (int) $is_asked;
    $is_asked = false;
});
$sender = signal_later(SIGUSR2, 0.1, times: 12, every: room(0.05));
$abort = function () use (&$is_asked): bool {
    $is_asked = true;
    return false;
};
same('acquire()', null, $lock->acquire('k', wait: room(2.0), abort: $abort));
$sender->finish();
check('asked between the runs of handlers', $runs > 6, $runs);

/* A worker that ends its work in order when it gets SIGTERM. */
$worker = start_php('
    pcntl_async_signals(true);
    $stop = false;
    pcntl_signal(SIGTERM, function () use (&$stop) { $stop = true; });
    $lock = new RedisLock($argv[1]);
    echo "waiting\n";
    while (!$stop) {
        $lease = $lock->lease("k", wait: 30, abort: function () use (&$stop) { return $stop; });
        echo $lease === null ? "none" : "held", "\n";
    }
    echo "tidied up\n";', [$server->dsn()]);
queued($server, 1);
$start = now();
$worker->signal(SIGTERM);
same('its output', "waiting\nnone\ntidied up\n", $worker->output());
between('its end', 0, slack(3.0), now() - $start);
same('its status', 0, $worker->status());
queued($server, 0);

/* Without async signals the callable may run the handlers itself. */
pcntl_async_signals(false);
$stop = false;
$sender = signal_later(SIGUSR1, 0.2);
same('pcntl_signal_dispatch()', null, $lock->acquire('k', wait: 60,
    abort: function () use (&$stop): bool {
        pcntl_signal_dispatch();
        return $stop;
    }));
$sender->finish();

done();
?>
--EXPECT--
ok
