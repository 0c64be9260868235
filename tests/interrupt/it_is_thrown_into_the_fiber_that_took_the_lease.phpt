--TEST--
The loss is thrown into the Fiber that took the lease, and into no other, at its resumption if it was suspended.
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

$server = start_server();
$lock = new RedisLock($server->dsn());
$in_fiber = fn (callable $body) => new Fiber(function () use ($lock, $server, $body): mixed {
    $lease = watched_lease($lock);
    $server->cmd('DEL', 'k');
    return $body($lease);
});

/* While it runs. */
$fiber = $in_fiber(fn () => interrupted('a Fiber that runs', fn () => compute(5.0)));
$fiber->start();
check('it ended well', $fiber->isTerminated());

/* While it is suspended: the main program and other Fibers are not hit. */
$reached = [];
$fiber = $in_fiber(function () use (&$reached): string {
    try {
        $reached[] = 'suspended';
        Fiber::suspend();
        $reached[] = 'resumed';
        return compute(5.0);
    } catch (RedisLockLostException $thrown) {
        return $thrown->getMessage();
    }
});
$fiber->start();
same('the main program', 'it was not stopped', compute(0.3));
same('another Fiber', ['suspended', 'it was not stopped'], [...$reached, (function () {
    $other = new Fiber(fn () => compute(0.1));
    $other->start();
    return $other->getReturn();
})()]);
same('it is lost by then', 2, lost());
$took = elapsed(fn () => $fiber->resume());
same('at its resumption', ['suspended'], $reached);
same('it was thrown there', 'the lock "k" was lost while it was needed', $fiber->getReturn());
between('at once', 0, slack(0.2), $took);

/* resume() with a value, throw() with an exception: this one comes first. */
$fiber = $in_fiber(function (): array {
    try {
        Fiber::suspend();
    } catch (LogicException $thrown) {
        return [$thrown->getMessage(), interrupted('after the exception', fn () => compute(5.0))->getMessage()];
    }
});
$fiber->start();
usleep(200000);
$fiber->throw(new LogicException('thrown into it'));
same('Fiber::throw()', ['thrown into it', 'the lock "k" was lost while it was needed'], $fiber->getReturn());

/* The main program's lease: not in a Fiber. */
$lease = watched_lease($lock);
$server->cmd('DEL', 'k');
$other = new Fiber(fn () => compute(0.3));
interrupted("the main program's", function () use ($other): void {
    $other->start();
    compute(5.0);
}, 0.4);
same('the Fiber was not hit', 'it was not stopped', $other->isTerminated() ? $other->getReturn() : null);
unset($lease);

/* A Fiber of a Fiber: the outer one's lease is thrown in the outer one. */
$fiber = $in_fiber(function (): void {
    $inner = new Fiber(fn () => [compute(0.3), Fiber::suspend()]);
    interrupted('the outer Fiber', function () use ($inner): void {
        $inner->start();
        compute(5.0);
    }, 0.4);
    $inner->resume();
    same('the inner Fiber', 'it was not stopped', $inner->getReturn()[0]);
});
$fiber->start();

/* Many of them at once, in turns: each gets its own. */
$fibers = $results = [];
for ($n = 0; $n < 20; $n++) {
    $fibers[$n] = new Fiber(function () use ($lock, $n, &$results): void {
        $lease = watched_lease($lock, "k$n");
        try {
            for ($until = now() + 5.0; now() < $until; usleep(100)) {
                Fiber::suspend();
            }
        } catch (RedisLockLostException $thrown) {
            $results[$n] = $thrown->getMessage();
        }
    });
    $fibers[$n]->start();
}
$server->cmd('DEL', ...array_map(fn ($n) => "k$n", range(0, 18, 2)));
for ($until = now() + slack(1.0); now() < $until && count($results) < 10;) {
    foreach ($fibers as $fiber) {
        $fiber->isTerminated() || $fiber->resume();
    }
}
ksort($results);
same('every second one', array_map(fn ($n) => "the lock \"k$n\" was lost while it was needed", range(0, 18, 2)), array_values($results));
same('which they are', range(0, 18, 2), array_keys($results));
unset($fibers, $fiber);

/* A Fiber that is over, and one that is dropped: nobody is hit, not even a Fiber at the same address. */
$fiber = $in_fiber(fn ($lease) => $lease);
$fiber->start();
$kept = $fiber->getReturn();
unset($fiber);
for ($n = 0; $n < 20; $n++) {
    $fiber = new Fiber(fn () => compute(0.01));
    $fiber->start();
    same('a Fiber after it', 'it was not stopped', $fiber->getReturn());
}
same('the main program', 'it was not stopped', compute(0.2));
same('its lease says so', false, $kept->isHeld());
unset($kept, $fiber);
$fiber = $in_fiber(fn () => Fiber::suspend());
$fiber->start();
usleep(200000);
unset($fiber);
same('after a Fiber that was dropped', 'it was not stopped', compute(0.2));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
