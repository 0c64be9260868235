--TEST--
While fence() waits, a handler may release the lease, ask for its number, or drop its variable.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_fences();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$fake = fake_server([], $server, true);
$lock = new RedisLock($fake->dsn(), timeout: 2 * slack(5.0));
pcntl_async_signals(true);
$lease = null;
$seen = null;
$with_handler = function (callable $handler) use ($lock, $fake, &$lease, &$seen): int {
    $lease = $lock->lease('k', 60);
    $lease->extend(60); /* so that no renewal is under way */
    $seen = null;
    pcntl_signal(SIGUSR1, $handler);
    $fake->rules([rule('EVALSHA', ['forward', wait_for(slack(0.3)), 'reply'], times: 1)]);
    $sender = signal_later(SIGUSR1, room(0.1));
    try {
        return $lease->fence();
    } finally {
        $sender->finish();
        $fake->rules([]);
    }
};

/* Loads the script. */
$lock->synchronized('other', fn ($lease) => $lease->fence());

$release = function () use (&$lease, &$seen): void {
    $seen = $lease->release();
};
$e = throws('release()', 'RedisLockLostException', '~released or given away~',
    fn () => $with_handler($release));
same('the handler has released it', true, $seen);
same('getLoss()', RedisLockLoss::Released, $e->getLoss());
same('no lock is left', [], $server->locks());

$number = $with_handler(function () use (&$lease, &$seen): void {
    $seen = $lease->fence();
});
check('both have the same number', $seen !== null && $seen === $number, [$seen, $number]);
same('later, too', $number, $lease->fence());
$lease->release();

$next = $with_handler(function () use (&$lease): void {
    $lease = null;
});
check('of a lease without a variable', $next > $number, [$next, $number]);
same('it is released', [], $server->locks());

done();
?>
--EXPECT--
ok
