--TEST--
onLoss may release the lease, drop the last reference to it, take locks, throw, exit, fork and fail; two leases that are lost together are both reported.
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
$done = null;
$is_done = function () use (&$done): bool { return $done !== null; };
$does = [
    'release()' => fn (RedisLockLease $lease) => $lease->release(),
    'detach()' => function (RedisLockLease $lease) {
        throws('detach()', 'RedisLockLostException', '~was lost~', $lease->detach(...));
    },
    'asks the lease' => fn (RedisLockLease $lease) => [$lease->verify(), $lease->extend(10),
        $lease->isHeld(), $lease->remaining(), $lease->heldFor()],
    'drops the last reference' => function () use (&$kept) { $kept = null; },
    'takes the lock again' => function () use ($lock,
        &$kept) { $kept = $lock->lease('k', 10); same('taken again', true, $kept->isHeld()); },
    'takes another' => fn () => $lock->synchronized('l', fn () => compute($ttl / 2), $ttl),
    'takes another that is lost, too' => function () use ($lock, $server, $ttl, &$other) {
        $ear = new Ear();
        $other = [$lock->lease('l', $ttl, onLoss: $ear), $ear];
        $server->cmd('DEL', 'l');
        compute(4 / 3 * $ttl);
        same('not inside of it', [], $ear->heard);
        same('verify() inside of it', false, $other[0]->verify());
        same('not inside of it', [], $ear->heard);
    },
    'collects' => fn () => gc_collect_cycles(),
];
foreach ($does as $what => $do) {
    $done = null;
    $on_loss = function (RedisLockLease $lease) use ($do, &$done): void {
        $do($lease);
        $done = $lease->loss()->name;
    };
    $kept = $lock->lease('k', $ttl, onLoss: $on_loss);
    unset($on_loss);
    $server->cmd('DEL', 'k');
    runs_until("$what: told", $is_done);
    // a busy machine may be late
    check("$what: loss()", in_array($done, ['Deleted', 'Expired'], true), $done);
    if (isset($other)) {
        runs_until("$what: told after it", fn () => count($other[1]->heard) === 1);
        unset($other);
    }
    $kept = null;
    same("$what: keys", [], $server->locks());
}

/* The first callable throws, and the second one is still called. */
$told = [];
$leases = [];
foreach (['a', 'b', 'c'] as $key) {
    $on_loss = function (RedisLockLease $lease) use (&$told): void {
        $told[] = $lease->key();
        throw new LogicException('told');
    };
    $leases[] = $lock->lease($key, $ttl, onLoss: $on_loss);
    unset($on_loss);
}
$server->cmd('DEL', 'a', 'b', 'c');
/* No loop and no call stand outside of try, because the exception may come there. */
try {
    compute(slack(5.0));
} catch (LogicException $first) {
}
try {
    compute(slack(5.0));
} catch (LogicException $second) {
}
try {
    compute(slack(5.0));
} catch (LogicException $third) {
}
check('each throws', isset($first, $second, $third));
sort($told);
same('each once', ['a', 'b', 'c'], $told);
compute($ttl);
same('each once', 3, count($told));
unset($leases);

/* In one go without a throw. */
$ear = new Ear();
$leases = [$lock->lease('a', $ttl, onLoss: $ear), $lock->lease('b', $ttl, onLoss: $ear)];
$server->cmd('DEL', 'a', 'b');
runs_until('both', fn () => count($ear->heard) === 2);
unset($leases);

/* The callable ends the process, in each way. */
$begin = '
    require $argv[2] . "/on_loss.inc";
    register_shutdown_function(function () { echo "shutdown\n"; });
    final class D { function __destruct() { echo "destructor\n"; } }
    $lock = new RedisLock($argv[1]);
    $d = new D();
    $ends = [];
    $lease = $lock->lease("k", (float) $argv[3], onLoss: function ($lease) { echo "told\n"; END });
    $second = $lock->lease("l", (float) $argv[3]);
    (new RedisLock($argv[1]))->forceRelease("k");
    try { compute(slack(5.0)); echo "not here\n"; } finally { echo "finally\n"; }';
$ends = [
    'exit' => ['exit(3);', "~^told\nshutdown\ndestructor\n$~", 3],
    'throw' => ['throw new LogicException("mine");',
        "~^told\nfinally\nPHP Fatal error:  Uncaught LogicException: mine.*shutdown\n~s", 255],
    'a fatal error' => ['eval("class RedisLock {}");',
        "~^told\nPHP Fatal error: .*shutdown\n~s", 255],
    'the memory limit' => ['ini_set("memory_limit", "8M"); str_repeat("a", 16 << 20);',
        "~^told\nPHP Fatal error:  Allowed memory size.*shutdown\n~s", 255],
];
if (under_valgrind()) {
    /* Without PHP's own allocator there is no limit, and a fatal error leaves memory. */
    unset($ends['the memory limit'], $ends['a fatal error']);
}
foreach ($ends as $what => [$end, $output, $status]) {
    $child = start_php(str_replace('END', $end, $begin),
        [$server->dsn(), dirname(__DIR__) . '/inc', $ttl],
        ['display_errors' => '0', 'log_errors' => '1']);
    matches("$what: output", $output, $child->output());
    same("$what: status", $status, $child->status());
    same("$what: keys", [], $server->keys());
}

/* The callable forks. */
$done = null;
$lease = $lock->lease('k', $ttl, onLoss: function () use (&$done, $lock): void {
    $done = in_fork(function () use ($lock): void {
        same('a lock of the child', true, $lock->lease('child')->isHeld());
        compute(0.3);
    });
});
$second = $lock->lease('l', $ttl, onLoss: $ear = new Ear());
$server->cmd('DEL', 'k', 'l');
runs_until('told', $is_done);
reap($done);
runs_until('the second, in the parent', fn () => count($ear->heard) === 1);
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
