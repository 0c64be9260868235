--TEST--
onLoss is not called in a forked child, after a fatal error, or after the lease is gone.
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
$ear = new Ear();
$ttl = room(0.3);

/* Lost before the fork and not reported yet; lost after the fork. */
$lease = $lock->lease('k', $ttl, onLoss: $ear);
$later = $lock->lease('l', $ttl, onLoss: $ear);
$server->cmd('DEL', 'k');
usleep((int) (0.8e6 * $ttl)) . reap(in_fork(function () use ($ear, $server, $lease, $later,
        $ttl): void {
    $ear->heard = [];
    $server->newClient()->cmd('DEL', 'l');
    compute(1.7 * $ttl);
    same('verify()', [false, false], [$lease->verify(), $later->verify()]);
    same('told in the child', [], $ear->heard);
    same('loss()', [true, RedisLockLoss::Forked],
        [in_array($lease->loss(), [RedisLockLoss::Deleted, RedisLockLoss::Forked], true),
            $later->loss()]);
    throws('assertHeld()', 'RedisLockLostException', '~^the lock "l" is not held by this process~',
        $later->assertHeld(...));
}));
runs_until('told in the parent', fn () => count($ear->heard) === 2);
unset($lease, $later);

/* Lost and not reported when a handler forks: the child also continues after the handler. */
$ear->heard = [];
$child = null;
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () use (&$child, $ear, $ttl): void {
    compute(1.3 * $ttl);
    same('not in the handler', [], $ear->heard);
    $child = pcntl_fork();
});
$lease = $lock->lease('k', $ttl, onLoss: $ear);
$later = $lock->lease('l', $ttl, onLoss: $ear);
$server->cmd('DEL', 'k');
send_signal(getmypid(), SIGUSR1);
for ($until = now() + slack(5.0); $child === null && now() < $until;) {
}
if ($child === 0) {
    compute($ttl);
    $later->verify();
    exit(count($ear->heard));
}
reap($child);
runs_until('told in the parent', fn () => $ear->heard === ['k Deleted']);
unset($lease, $later);

/* A child has its own. */
reap(in_fork(function () use ($lock, $server, $ttl): void {
    $ear = new Ear();
    $lease = $lock->lease('k', $ttl, onLoss: $ear);
    $server->newClient()->cmd('DEL', 'k');
    runs_until('told', fn () => $ear->heard === ['k Deleted']);
}));

/* After a fatal error shutdown functions run without it. */
$code = '
    require $argv[2] . "/on_loss.inc";
    define("TTL", (float) $argv[3]);
    function say(string $what): void { compute(4 / 3 * TTL); echo "$what\n"; }
    final class Last { function __destruct() { say("destructor"); } }
    $lock = new RedisLock($argv[1]);
    $lease = $lock->lease("k", TTL, onLoss: function () { echo "told\n"; });
    $last = new Last();
    ob_start(function ($text) { compute(2 / 3 * TTL); return $text; });
    register_shutdown_function(fn () => say("shutdown"));
    $lock->forceRelease("k");
    ';
same('after a fatal error', "shutdown\n",
    run_php($code . 'eval("class RedisLock {}");',
        [$server->dsn(), dirname(__DIR__) . '/inc', $ttl],
        ['display_errors' => '0', 'log_errors' => '0']));

/* A lease that is gone. */
$ear->heard = [];
$lease = $lock->lease('k', $ttl, onLoss: $ear);
$server->cmd('DEL', 'k');
usleep(10000) . $lease = null;
compute(1.3 * $ttl);
same('gone', [], $ear->heard);

done();
?>
--EXPECT--
ok
