--TEST--
Signal handlers go on working before, beside and after an interrupt; when both are due at once both come.
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
$handled = 0;
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () use (&$handled): void {
    $handled++;
});
$until_handled = function (string $what, int $count) use (&$handled): void {
    eventually("$what: handlers run", function () use (&$handled, $count): bool {
        return $handled >= $count;
    });
};

/* Signals all the time. */
$lease = watched_lease($lock);
$sender = signal_later(SIGUSR1, 0.01, 60, 0.02);
$until_handled('before', 3);
$server->cmd('DEL', 'k');
interrupted('among signals', fn () => compute(5.0));
$seen = $handled;
$until_handled('after', $seen + 3);
$sender->finish();
between('handled; several at once are one', 30, 60, $handled);
unset($lease);

/* Both at once: a call of C that lasts, in which a signal comes and the lease is lost. */
$rounds = (function (): int { // about 0.4 s
    for ($n = 20000; elapsed(fn () => hash_pbkdf2('sha256', 'x', 'y', $n)) < 0.2; $n *= 2) {
    }
    return 2 * $n;
})();
$handled = 0;
$lease = watched_lease($lock);
$server->cmd('DEL', 'k');
$sender = signal_later(SIGUSR1, 0.15);
interrupted('both at once', fn () => hash_pbkdf2('sha256', 'x', 'y', $rounds) . compute(5.0), 2.0);
$sender->finish();
same('both: the handler has run', 1, $handled);
unset($lease);

/* A handler that throws at that moment: its exception comes out, and then the loss. */
pcntl_signal(SIGUSR1, fn () => throw new LogicException('of the handler'));
$lease = watched_lease($lock);
$server->cmd('DEL', 'k');
$sender = signal_later(SIGUSR1, 0.15);
interrupted('a handler that throws', function () use ($rounds): void {
    $thrown = throws('the handler first', 'LogicException', '~^of the handler$~', fn () => hash_pbkdf2('sha256', 'x', 'y', $rounds) . compute(5.0));
    same('alone', null, $thrown?->getPrevious());
    compute(5.0);
}, 2.0);
$sender->finish();
unset($lease);

/* A handler runs to its end, and so do those that wait behind it; then the loss is thrown. */
$ended = 0;
$runs_long = function () use (&$ended): void {
    compute(0.8);
    $ended++;
};
pcntl_signal(SIGUSR1, $runs_long);
pcntl_signal(SIGUSR2, $runs_long);
$lease = watched_lease($lock);
$server->cmd('DEL', 'k');
interrupted('behind handlers', function (): void {
    pcntl_sigprocmask(SIG_BLOCK, [SIGUSR1, SIGUSR2]);
    send_signal(getmypid(), SIGUSR1);
    send_signal(getmypid(), SIGUSR2);
    pcntl_sigprocmask(SIG_UNBLOCK, [SIGUSR1, SIGUSR2]);
    compute(5.0);
}, 1.6);
same('handlers that ran to their end', 2, $ended);
unset($lease);

/* The same when they are called by hand. */
pcntl_async_signals(false);
$lease = watched_lease($lock);
interrupted('behind handlers that are called by hand', function () use ($server): void {
    send_signal(getmypid(), SIGUSR1);
    $server->cmd('DEL', 'k');
    pcntl_signal_dispatch();
    compute(5.0);
}, 0.8);
same('handlers that ran to their end', 3, $ended);
unset($lease);
pcntl_async_signals(true);

/* They still work. */
$handled = 0;
pcntl_signal(SIGUSR1, function () use (&$handled): void {
    $handled++;
});
send_signal(getmypid(), SIGUSR1);
$until_handled('in the end', 1);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
