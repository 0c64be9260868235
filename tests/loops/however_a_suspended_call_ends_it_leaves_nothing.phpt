--TEST--
However a call ends that is suspended in a Fiber, no waiter, no lock and no lease of it is left.
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
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();

/*
 * Two Fibers are suspended: one waits for the key "k", which another holds, the other one in the
 * section of a renewed lease. Each line ends the process, or the first Fiber, in another way.
 */
const BEGIN = <<<'PHP'
    RedisLock::waitWith(Loop::wait(...));
    $lock = new RedisLock($argv[1]);
    final class Cycle { public $self; public $fiber; }
    $waits = function () use ($lock): void {
        try {
            echo $lock->acquire("k", 60, 60);
            echo "not here\n";
        } finally {
            echo "finally\n";
        }
    };
    $fiber = Loop::spawn($waits);
    Loop::spawn(fn () => $lock->synchronized("s", fn () => Loop::sleep(60)));
    Loop::run(fn () => (new RedisLock($argv[1]))->inspect("k")?->waiters === 1
        && $lock->isLocked("s"));
    echo "ready\n";

    PHP;

$ends = [
    'an exception' => ['
        $fiber->throw(new LogicException("into the Fiber"));', '~finally\n.*into the Fiber~s', 255],
    'an exception that is caught' => ['
        Loop::forget($fiber);
        try { $fiber->throw(new LogicException("into it")); } catch (LogicException) { }
        echo $lock->inspect("k")->waiters, " waiters\n";', '~finally\n0 waiters\n$~', 0],
    'exit in another Fiber' => ['Loop::spawn(function (): void { exit(3); });', '~ready~', 3],
    'exit in {main}' => ['exit(4);', '~ready~', 4],
    'exit in the waiter' => ['
        RedisLock::waitWith(function () { exit(5); });
        echo $lock->acquire("k", 60, 60);', '~ready~', 5],
    'a fatal error' => ['
        ini_set("memory_limit", memory_get_usage() + 4000000);
        str_repeat("x", 1 << 30);', '~Allowed memory size~', 255],
    'a fatal error in another Fiber' => ['
        Loop::spawn(function (): void {
            ini_set("memory_limit", memory_get_usage() + 4000000);
            str_repeat("x", 1 << 30);
        });', '~Allowed memory size~', 255],
    'an exception that is not caught' => ['
        Loop::spawn(function (): void { throw new LogicException("of another"); });',
        '~of another~', 255],
    'the end of the script' => ['', '~ready~', 0],
    'the Fiber is dropped' => ['
        Loop::forget($fiber);
        unset($fiber);
        echo $lock->inspect("k")->waiters, " waiters\n";', '~finally\n0 waiters\n$~', 0],
    'the Fiber is garbage in a cycle' => ['
        Loop::forget($fiber);
        $cycle = new Cycle();
        $cycle->self = $cycle;
        $cycle->fiber = $fiber;
        unset($fiber, $cycle);
        gc_collect_cycles();
        echo $lock->inspect("k")->waiters, " waiters\n";', '~finally\n0 waiters\n$~', 0],
    'SIGTERM' => ['send_signal(getmypid(), SIGTERM); sleep(60);', '~ready~', -15],
    'SIGTERM with a handler that throws' => ['
        pcntl_async_signals(true);
        pcntl_signal(SIGTERM, fn () => throw new LogicException("terminated"));
        send_signal(getmypid(), SIGTERM);
        Loop::run();', '~terminated~', 255],
];
if (PHP_ZTS) {
    unset($ends['SIGTERM']); /* not in thread-safe builds: the lock ends by its TTL */
}
foreach ($ends as $what => [$end, $output, $status]) {
    hold($server, 'k');
    $file = "$server->folder/script.inc";
    file_put_contents($file, "<?php\nrequire '" . __DIR__ . "/../inc/server.inc';\nrequire '"
        . __DIR__ . "/../inc/loop.inc';\n" . BEGIN . $end);
    $child = new PhpChild(php_command() . " -f $file -- " . escapeshellarg($server->dsn()), []);
    matches("$what: output", $output, $child->output());
    check("$what: it went no further", !str_contains($child->output(), 'not here'));
    same("$what: status", $status, $child->status());
    eventually("$what: no key is left", fn () => $server->keys() === ['0:k']);
    queued($server, 0);
    $server->cmd('FLUSHALL');
}

done();
?>
--EXPECT--
ok
