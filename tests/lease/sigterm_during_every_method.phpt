--TEST--
SIGTERM during any method leaves no key with a token that only the ended process knew.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind(); /* a process that is killed frees nothing */
skip_by_topology('the proxy is one server');
skip_without_sigterm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sigterm.inc';
require __DIR__ . '/../inc/fake_server.inc';

/* For each method the calls that are cut off; no call = the method sends nothing. Each worker has
 * a lease of "held". "t" has the token $argv[2], which outlives the worker. */
const CALLS = [
    'RedisLock' => [
        '__construct' => [],
        'acquire' => ['echo $lock->acquire("n", 60);', 'echo $lock->acquire("t", 60, 10);',
            'echo $lock->acquire("n", 60, 0, $argv[2]);',
            'echo $lock->acquire("n", 60, 0, "my own");'],
        'release' => ['$lock->release("t", $argv[2]);'],
        'extend' => ['$lock->extend("t", $argv[2], 60);'],
        'lease' => ['$other = $lock->lease("n", 60);', '$other = $lock->lease("t", 60, 10);',
            '$other = $lock->lease("n", 60, token: "my own");',
            '$other = $lock->lease(["n", "o", "p"], 60);',
            '$other = $lock->lease(["n", "t"], 60, 10);',
            '$other = $lock->lease("n", 60, slots: 3);',
            '$other = $lock->lease("t", 60, 10, slots: 2);'],
        'resume' => ['$other = $lock->resume("t", $argv[2], 60);'],
        'synchronized' => ['$lock->synchronized("n", fn () => 1, 60);',
            '$lock->synchronized("n", fn () => sleep(1), 60);',
            '$lock->synchronized(["n", "o"], fn () => 1, 60);'],
        'once' => ['$lock->once("n", fn () => 1, 60);', '$lock->once("n", fn () => sleep(1), 60);'],
        'forceRelease' => ['$lock->forceRelease("t");'],
        'isLocked' => ['$lock->isLocked("t");'],
        'owner' => ['$lock->owner("t");'],
        'inspect' => ['$lock->inspect("t");'],
        'inspectAll' => ['$lock->inspectAll(["t", "n"]);'],
        'findKeys' => ['$lock->findKeys();'],
        'remaining' => ['$lock->remaining("t");'],
        'token' => [], 'stats' => [], 'advance' => [], 'flushMemory' => [],
        'waitWith' => [], 'onContention' => [],
        'close' => ['$lock->close(); $other = $lock->lease("n", 60);'],
    ],
    'RedisLockLease' => [
        '__construct' => [], 'key' => [], 'keys' => [], 'slot' => [], 'token' => [],
        'remaining' => [],
        'isHeld' => [], 'assertHeld' => [], 'heldFor' => [],
        'waited' => [], 'attempts' => [], 'loss' => [],
        'verify' => ['$lease->verify();'],
        'extend' => ['$lease->extend(60);'],
        'release' => ['$lease->release();', '$lease = null;'],
        'fence' => ['$lease->fence();'],
        'detach' => ['echo $lease->detach();'],
    ],
];
foreach (CALLS as $class => $methods) {
    $all = array_map(fn ($method) => $method->name, (new ReflectionClass($class))->getMethods());
    same("$class: every method has a line", [], array_merge(
        array_diff($all, array_keys($methods)), array_diff(array_keys($methods), $all)));
}
$calls = array_merge(...array_merge(...array_map(array_values(...), array_values(CALLS))));

$server = start_server();
$proxy = latency_of(60, $server);
$timeout = slack(2.0);
$warm = new RedisLock($server->dsn());   /* the server knows the scripts */
$ignored = $warm->resume('warm up', 'x');
$kept = $warm->lease('warm up', 60, renew: false);
$kept?->release();

/* In seconds after a call has begun, which then takes 0.06 s, or twice that. */
foreach ([0.015, 0.045, 0.075, 0.11] as $moment) {
    $workers = $tokens = [];
    foreach ($calls as $i => $call) {
        $tokens[$i] = RedisLock::token();
        $server->cmd('SET', "$i:t", $tokens[$i], 'PX', 60_000);
        $workers[$i] = start_php('$lock = new RedisLock($argv[1], $argv[3]);
            $lease = $lock->lease("held", 60);
            echo "ready\n"; fgets(STDIN);' . $call . ' sleep(60);',
            [$proxy->dsn("?timeout=$timeout"), $tokens[$i], "$i:"]);
    }
    foreach ($workers as $worker) {
        $worker->expect('~ready~');
    }
    foreach ($workers as $worker) {
        $worker->tell('go');
    }
    usleep((int) (1e6 * $moment));
    foreach ($workers as $worker) {
        $worker->signal(SIGTERM);
    }
    foreach ($workers as $i => $worker) {
        $output = $worker->output();
        same("$calls[$i] at $moment: status", -SIGTERM, $worker->status());
        $said[$i] = $output;
    }
    $proxy->drain();
    foreach ($server->locks() as $key) {
        $key = substr($key, 2); /* without its database */
        $i = (int) $key;
        $token = (string) $server->cmd('GET', $key);
        check("$calls[$i] at $moment: the token of $key is known",
            in_array($token, [$tokens[$i], 'my own', 'rl1.done'], true)
                || str_contains($said[$i], $token),
            $token);
    }
    $server->cmd('FLUSHALL');
}

done();
?>
--EXPECT--
ok
