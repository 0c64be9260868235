--TEST--
After the lease was released, given away or freed nothing is thrown, also when its loss was noticed before; and it is thrown once.
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
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn () => null);
$is_quiet = function (string $what, float $seconds = 0.2): void {
    same("$what: nothing is thrown", 'it was not stopped', compute($seconds));
    send_signal(getmypid(), SIGUSR1); // has the VM look, in any case
    same("$what: nothing is thrown beside a signal", 'it was not stopped', compute(0.01));
};

/* Before its loss is noticed. */
$ends = [
    'release()' => fn (&$lease) => $lease->release(),
    'the end of the object' => function (&$lease): void {
        $lease = null;
    },
    'release(), and the object' => function (&$lease): void {
        $lease->release();
        $lease = null;
    },
];
foreach ($ends as $what => $end) {
    $lease = watched_lease($lock);
    $server->cmd('DEL', 'k');
    $end($lease);
    $is_quiet($what);
    unset($lease);
}
$lease = watched_lease($lock);
$token = $lease->detach();
$server->cmd('DEL', 'k');
$is_quiet('detach()');
unset($lease);
$lock->synchronized('k', fn () => 1, 0.3, interrupt: true);
$is_quiet('after a section');

/* Noticed, and not yet thrown: an exception is in flight meanwhile. */
foreach ($ends as $what => $end) {
    $lease = watched_lease($lock);
    $server->cmd('DEL', 'k');
    throws("$what in finally", 'LogicException', '~^mine$~', function () use (&$lease, $end): void {
        try {
            throw new LogicException('mine');
        } finally {
            for ($until = now() + 2.0; $lease->isHeld() && now() < $until;) {
            }
            compute(0.05);
            $end($lease);
        }
    });
    $is_quiet("$what in finally");
    unset($lease);
}
same('it was lost each time', 3, lost());

/* Once: whoever has caught it is not told again, although the lease is still there. */
$lease = watched_lease($lock);
$server->cmd('DEL', 'k');
interrupted('the first time', fn () => compute(5.0));
$is_quiet('the second time', 0.4);
throws('assertHeld()', 'RedisLockLostException', '~"k" was lost~', $lease->assertHeld(...));
same('release()', false, $lease->release());
$is_quiet('after release()');

/* Two leases, each once. */
$leases = [watched_lease($lock, 'a'), watched_lease($lock, 'b')];
$server->cmd('DEL', 'a', 'b');
$thrown = [];
for ($n = 0; $n < 2; $n++) {
    $thrown[] = throws("loss $n", 'RedisLockLostException', '~^the lock "[ab]" was lost~', fn () => compute(5.0))->getMessage();
}
sort($thrown);
same('one for each', ['the lock "a" was lost while it was needed', 'the lock "b" was lost while it was needed'], $thrown);
$is_quiet('after both');
unset($leases);

/* What the process does later is not hit by what is left of it. */
$lease = watched_lease($lock, 'k', 3.0);
$is_quiet('a new lease');
same('it is held', true, $lease->isHeld());
unset($lease);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
