--TEST--
Two coroutines of one Fiber context do not share a re-entrant lock; deep calls, generators and callbacks of one coroutine do.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (shell_exec('command -v cc') === null) {
    die('skip no compiler');
}
/* The folder's name tells thread-safe builds and debug builds apart. */
$config = PHP_BINDIR . '/php-config';
$of_config = shell_exec("$config --vernum 2>&1; $config --extension-dir 2>&1");
if ($of_config !== PHP_VERSION_ID . "\n" . PHP_EXTENSION_DIR . "\n") {
    die('skip no php-config of this PHP');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$module = "$server->folder/coroutine.so";
$output = shell_exec('cc -shared -fPIC -DZEND_COMPILE_DL_EXT=1 $(' . PHP_BINDIR
    . '/php-config --includes) -o '
    . escapeshellarg($module) . ' ' . escapeshellarg(__DIR__ . '/../inc/coroutine.c') . ' 2>&1');
check('the extension is compiled', is_file($module), $output);

$code = <<<'PHP'
    require $argv[2] . '/check.inc';
    $lock = new RedisLock($argv[1], reentrant: true);
    $enters = fn (string $key): bool => $lock->lease($key)?->isHeld() ?? false;
    function deep(int $calls, callable $call): mixed {
        return $calls === 0 ? $call() : deep($calls - 1, $call);
    }
    function generated(callable $call): Generator { yield $call(); }

    $lease = $lock->lease('k');
    $ways = [
        'at once' => fn ($call) => $call(),
        'in deep calls' => fn ($call) => deep(20_000, $call),
        'in a callback' => fn ($call) => array_map($call, [1])[0],
        'in a deep callback' => fn ($call) => deep(5_000, fn () => array_map($call, [1])[0]),
        'in a generator' => fn ($call) => generated($call)->current(),
    ];
    foreach ($ways as $what => $way) {
        same("the main flow, $what", true, $way(fn () => $enters('k')));
        $in_one = function () use ($way, $lock, $enters): array {
            $own = $lock->lease('own');
            return [$way(fn () => $enters('k')), $way(fn () => $enters('own'))];
        };
        same("a coroutine, $what", [false, true], in_coroutine($in_one));
        same("from a coroutine, $what", false, deep(1_000, fn () => in_coroutine(
            fn () => $way(fn () => $enters('k')))));
    }
    same('two coroutines', [true, false], in_coroutine(function () use ($lock, $enters) {
        $own = $lock->lease('own');
        return [$enters('own'), in_coroutine(fn () => $enters('own'))];
    }));
    same('a lock of the main flow that a coroutine took for itself', true, $enters('k'));
    throws('a wait in a coroutine', 'RedisLockException',
        '~would never end: a lease of another Fiber or coroutine of this thread~',
        fn () => in_coroutine(fn () => $lock->lease('k', wait: 20)), 0.5);
    throws('a wait of another object in the same flow', 'RedisLockException',
        '~would never end: a lease of this thread .* reentrant: true~',
        fn () => (new RedisLock($argv[1]))->lease('k', wait: 20), 0.5);
    in_coroutine(fn () => same('release() in a coroutine', true, $lease->release()));
    done();
    PHP;
same('the program', "ok\n", run_php($code, [$server->dsn(), __DIR__ . '/../inc'],
    ['extension' => $module]));
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
