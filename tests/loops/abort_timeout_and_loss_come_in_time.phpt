--TEST--
Beside a running loop $abort is asked once a second and right after a signal, a wait and a server that hangs end in time, and onLoss is called.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';
require __DIR__ . '/../inc/loop.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
RedisLock::waitWith(Loop::wait(...));
$held = $lock->acquire('k', 60);

/* Ticks of 10 ms go on during all of this. */
$ticks = 0;
$isOver = false;
Loop::spawn(function () use (&$ticks, &$isOver): void {
    while (!$isOver) {
        Loop::sleep(0.01);
        $ticks++;
    }
});
/** Runs the call in a Fiber, and returns the seconds that it took. */
$seconds = function (callable $call): float {
    $isDone = false;
    return elapsed(function () use ($call, &$isDone): void {
        Loop::spawn(function () use ($call, &$isDone): void {
            $call();
            $isDone = true;
        });
        Loop::run(function () use (&$isDone): bool {
            return $isDone;
        });
    });
};

/* The time of a wait. */
between('a wait of 0.3 s', 0.3, 0.3 + slack(0.1),
    $seconds(fn () => same('it', null, $lock->acquire('k', 60, 0.3))));

/* $abort, whose answer changes meanwhile: asked once a second. */
$script = new stdClass();
$script->stop = false;
$abort = fn (): bool => $script->stop;
Loop::spawn(function () use ($script): void {
    Loop::sleep(0.2);
    $script->stop = true;
});
between('$abort', 0.2, slack(1.3),
    $seconds(fn () => same('it', null, $lock->acquire('k', 60, 60, abort: $abort))));

/* A signal handler changes it. */
$script->stop = false;
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () use ($script): void {
    $script->stop = true;
    $script->at = now();
});
Loop::spawn(function (): void {
    Loop::sleep(0.2);
    send_signal(getmypid(), SIGUSR1);
});
$seconds(fn () => same('it', null, $lock->acquire('k', 60, 60, abort: $abort)));
between('$abort after a signal', 0.0, slack(0.05), now() - $script->at);

/* A server that hangs. */
$hanging = new RedisLock($server->dsn(), timeout: 0.3, persistent: false);
$hanging->isLocked('k');
$server->cmd('CLIENT', 'PAUSE', '1000');
$before = $ticks;
between('a server that hangs', 0.3, 0.3 + slack(0.2), $seconds(fn () => throws('it',
    'RedisLockConnectionException', '~within 0.3 s~', fn () => $hanging->isLocked('k'))));
between('ticks meanwhile', 30 / slack(1.5), 60, $ticks - $before);
$server->cmd('CLIENT', 'UNPAUSE');

/* onLoss. */
$lost = null;
$onLoss = function (RedisLockLease $lease) use (&$lost): void {
    $lost = $lease->loss();
};
$lease = $lock->lease('lost', room(0.2), onLoss: $onLoss);
$server->cmd('DEL', 'lost');
$seconds(function () use (&$lost): void {
    for ($until = now() + 10; $lost === null && now() < $until;) {
        Loop::sleep(0.01);
    }
});
same('onLoss', RedisLockLoss::Deleted, $lost);

/* The watchdog renews while the loop is busy. */
$busy = $lock->lease('busy', room(0.6));
for ($until = now() + 2 * room(0.6); now() < $until;) {
    hash('sha256', 'work');
}
same('a lease lives while the loop is busy', true, $busy->isHeld());
$busy->release();
$isOver = true;
Loop::run();
$lock->release('k', $held);
same('no key is left', [], $server->keys());

done();
?>
--EXPECT--
ok
