--TEST--
onLoss runs in loops, calls, waits and any Fiber, but not inside signal handlers and ticks, which end first; it cannot switch Fibers.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/on_loss.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$ttl = room(0.3);
$told = [];
$note = function (RedisLockLease $lease) use (&$told): void {
    $told[] = $GLOBALS['where'] ?? 'nowhere';
};
$is_told = function () use (&$told): bool { return $told !== []; };
$lose = function (string $key = 'k') use ($lock, $server, $note, $ttl,
        &$told): RedisLockLease {
    $told = [];
    $lease = $lock->lease($key, $ttl, onLoss: $note);
    $server->cmd('DEL', $key);
    return $lease;
};

/* In code of all kinds. */
function naturals(): Generator { for ($i = 0; ; $i++) { yield $i; } }
$codes = [
    'a loop' => function (Closure $go) { while ($go()) { for ($i = 0; $i < 100; $i++) {} } },
    'a generator' => function (Closure $go) {
        foreach (naturals() as $n) { if (!$go()) { break; } } },
    'callbacks' => function (Closure $go) {
        while ($go()) { array_map(fn ($x) => $x + 1, range(1, 9)); } },
    'sorting' => function (Closure $go) {
        while ($go()) { $a = range(1, 9); usort($a, fn ($x, $y) => $y <=> $x); } },
    'after one long call' => function (Closure $go) use ($ttl) {
        usleep((int) (1e6 * $ttl)); $go(); },
];
foreach ($codes as $what => $code) {
    $lease = $lose();
    $until = now() + slack(5.0);
    $code(function () use (&$told, $until): bool { return $told === [] && now() < $until; });
    check("$what: told", count($told) === 1);
    unset($lease);
}

/* A wait for another lock, which goes on, and which ends when it is thrown there. */
$server->cmd('SET', 'taken', 'another');
foreach (['lease()' => fn ($wait) => $lock->lease('taken', wait: $wait),
    'acquire()' => fn ($wait) => $lock->acquire('taken', wait: $wait),
    'synchronized()' => fn ($wait) => $lock->synchronized('taken',
            fn () => check('not here', false), wait: $wait)] as $what => $wait) {
    $lease = $lose();
    try {
        $wait(1.0 + 2 * $ttl);
    } catch (RedisLockTimeoutException) {
    }
    check("$what: told while it waited", count($told) === 1);
    unset($lease);
    $lease = watched_lease($lock, 'k', $ttl);
    $server->cmd('DEL', 'k');
    stopped("$what: ended by it", fn () => $wait(20), 1.2);
    unset($lease);
}
same('keys', ['0:taken'], $server->locks());

/* The callable runs in the current Fiber, and not in the Fiber that took the lease. */
$told = [];
$fiber = new Fiber(function () use ($lock, $note, $ttl): void {
    $lease = $lock->lease('k', $ttl, onLoss: $note);
    Fiber::suspend();
});
$fiber->start();
$where = 'main';
$server->cmd('DEL', 'k');
runs_until('told in the main Fiber', $is_told);
same('there', ['main'], $told);
unset($fiber);
$lease = $lose();
$other = new Fiber(function () use ($is_told): void {
    $GLOBALS['where'] = 'the other';
    runs_until('told in another Fiber', $is_told);
});
$other->start();
same('there', ['the other'], $told);
unset($lease, $other, $where);

/* No switch of Fibers inside. */
$thrown = [];
$lease = $lock->lease('k', $ttl, onLoss: function () use (&$thrown): void {
    foreach ([fn () => Fiber::suspend(), fn () => (new Fiber(fn () => 1))->start()] as $switch) {
        try {
            $switch();
        } catch (FiberError $error) {
            $thrown[] = $error->getMessage();
        }
    }
});
$server->cmd('DEL', 'k');
(new Fiber(function () use (&$thrown): void {
    runs_until('told', function () use (&$thrown): bool { return count($thrown) === 2; });
}))->start();
matches('FiberError', '~^Cannot switch fibers~', $thrown[0] ?? '');
unset($lease);

/* A signal handler, run by the VM or by a tick, ends first, and so do the handlers after it. */
pcntl_async_signals(true);
$lease = null;
$order = [];
$handler = function (int $signal) use (&$lease, &$order, $lose, $ttl,
        &$told): void {
    $lease ??= $lose();
    compute(4 / 3 * $ttl);
    $order[] = [$signal, count($told)];
};
pcntl_signal(SIGUSR1, $handler);
pcntl_signal(SIGUSR2, $handler);
pcntl_sigprocmask(SIG_BLOCK, [SIGUSR1, SIGUSR2]);
send_signal(getmypid(), SIGUSR1);
send_signal(getmypid(), SIGUSR2);
pcntl_sigprocmask(SIG_UNBLOCK, [SIGUSR1, SIGUSR2]);
runs_until('told after the handlers', $is_told);
same('handlers', [[SIGUSR1, 0], [SIGUSR2, 0]], $order);
pcntl_async_signals(false);
$lease = null;
$order = [];
send_signal(getmypid(), SIGUSR1);
pcntl_signal_dispatch();
same('a handler that is dispatched by hand', [[SIGUSR1, 0]], $order);
runs_until('told after it', $is_told);
$lease = null;
$ticks = [];
$tick = function () use (&$ticks, &$told, $ttl): void {
    compute(4 / 3 * $ttl);
    $ticks[] = count($told);
};
$lease = $lose();
register_tick_function($tick);
declare(ticks=1) {
    $n = 1;
}
unregister_tick_function($tick);
check('a tick', $ticks !== [] && $ticks[0] === 0, $ticks);
runs_until('told after it', $is_told);
unset($lease);

/* Signal handlers run inside of it. */
pcntl_async_signals(true);
$handled = false;
pcntl_signal(SIGUSR1, function () use (&$handled): void { $handled = true; });
$seen = null;
$lease = $lock->lease('k', $ttl, onLoss: function () use (&$handled, &$seen): void {
    send_signal(getmypid(), SIGUSR1);
    runs_until('a handler inside', function () use (&$handled): bool { return $handled; });
    $seen = $handled;
});
$server->cmd('DEL', 'k');
runs_until('told', function () use (&$seen): bool { return $seen !== null; });
unset($lease);

/* A handler that throws: nothing is called while the exception is on its way; then it is. */
$lease = null;
pcntl_signal(SIGUSR1, function () use (&$lease, $lose, $ttl): void {
    $lease = $lose();
    compute(4 / 3 * $ttl);
    throw new LogicException('of the handler');
});
throws('a handler that throws', 'LogicException', '~^of the handler$~', function (): void {
    send_signal(getmypid(), SIGUSR1);
    compute(slack(5.0));
});
runs_until('told after an exception', $is_told);
unset($lease);

done();
?>
--EXPECT--
ok
