--TEST--
SIGTERM frees nothing where the script handles, ignores or blocks it, in a forked child, and as process 1.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind(); /* a process that is killed frees nothing */
skip_without_sigterm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sigterm.inc';

$server = start_server();

/* The script's own: each goes on after the signal, with its lease, and ends by itself. */
$go_on =
    'echo $lease->isHeld() ? "held\n" : "lost\n"; echo $lease->verify() ? "there\n" : "gone\n"; $lease->release();';
$go = "$server->folder/go";
$own = [
    'a handler before the lease' => [
        'pcntl_async_signals(true); pcntl_signal(SIGTERM, function () { echo "handled\n"; });', ''],
    'a handler behind the lease' => ['',
        'pcntl_async_signals(true); pcntl_signal(SIGTERM, function () { echo "handled\n"; });'],
    'ignored before the lease' => ['pcntl_signal(SIGTERM, SIG_IGN);', ''],
    'ignored behind the lease' => ['', 'pcntl_signal(SIGTERM, SIG_IGN);'],
    'blocked before the lease' => ['pcntl_sigprocmask(SIG_BLOCK, [SIGTERM]);', ''],
    'blocked behind the lease' => ['', 'pcntl_sigprocmask(SIG_BLOCK, [SIGTERM]);'],
];
foreach ($own as $what => [$before, $behind]) {
    foreach (['', '$more = $lock->lease("l", 60);'] as $more) {
        $worker = start_php(CHILD_BEGINS . "$before \$lease = \$lock->lease('k', 60); $behind $more
            echo \"ready\\n\"; for (\$i = 0; \$i < 300 || !is_file(\$argv[2]); \$i++) {
                usleep(1000); clearstatcache();
            } $go_on", [$server->dsn(), $go]);
        $worker->expect('~ready~');
        $worker->signal(SIGTERM);
        touch($go);
        $output = $worker->output();
        unlink($go);
        same("$what: handled", str_contains($what, 'handler'), str_contains($output, 'handled'));
        check("$what: it goes on with its lease", str_ends_with(rtrim($output), "held\nthere"),
            $output);
        same("$what: status", 0, $worker->status());
        same("$what: keys", [], $server->locks());
    }
}

/* exit() in a handler frees it, as before. */
$worker =
    start_php(CHILD_BEGINS . 'pcntl_async_signals(true); pcntl_signal(SIGTERM, fn () => exit(3));
    $lease = $lock->lease("k", 60); echo "ready\n"; while (true) { usleep(1000); }',
    [$server->dsn()]);
$worker->expect('~ready~');
$worker->signal(SIGTERM);
$worker->output();
same('exit() in a handler: status', 3, $worker->status());
same('exit() in a handler: keys', [], $server->locks());

/* A forked child inherits the handler: its end frees nothing of the parent's, and what it has
 * itself. */
foreach (['nothing of its own' => ['', []],
        'a lease of its own' => ['$own = $lock->lease("c", 60);', ['0:c']]] as $what => [$take,
        $keys]) {
    $worker = start_php(CHILD_BEGINS . '$lease = $lock->lease("k", 60);
        $child = pcntl_fork();
        if ($child === 0) { ' . $take . ' echo "ready ", getmypid(), "\n"; sleep(60); }
        pcntl_waitpid($child, $status);
        echo pcntl_wifsignaled($status) ? pcntl_wtermsig($status) : "exit", "\n";
        ' . $go_on, [$server->dsn()]);
    $pid = (int) substr($worker->expect('~ready \d+\n~'), 6);
    same("a child with $what: keys before", [...$keys, '0:k'], $server->locks());
    send_signal($pid, SIGTERM);
    $output = $worker->output();
    check("a child with $what: it ends by the signal, the parent goes on",
        str_ends_with(rtrim($output), "15\nheld\nthere"), $output);
    same("a child with $what: keys", [], $server->locks());
}

/* The parent's end frees nothing of the child's either. */
$worker = start_php(CHILD_BEGINS . '$lease = $lock->lease("k", 60);
    $child = pcntl_fork();
    if ($child === 0) {
        $own = $lock->lease("c", 60);
        echo "ready\n";
        for ($i = 0; $i < 500 || !is_file($argv[2]); $i++) { usleep(1000); clearstatcache(); }
        echo $own->isHeld() && $own->verify() ? "held\n" : "lost\n";
        exit;
    }
    sleep(60);', [$server->dsn(), $go]);
$worker->expect('~ready~');
$worker->signal(SIGTERM);
eventually('the parent: only its own goes', fn () => $server->locks() === ['0:c'], 1.0);
touch($go);
$output = $worker->output();
check('the child goes on', str_contains($output, 'held'), $output);
same('keys', [], $server->locks());

/* Where the default is restored, nothing is left of ours. */
$worker = start_php(CHILD_BEGINS
    . '$lease = $lock->lease("k", 60); ini_set("redislock.free_on_sigterm", "0");
    echo "ready\n"; sleep(60);', [$server->dsn()]);
$worker->expect('~ready~');
seconds_to_end($worker);
same('switched off at run time: status', -SIGTERM, $worker->status());
same('switched off at run time: keys', ['0:k'], $server->locks());
$server->cmd('DEL', 'k');

/* A program that the worker starts, also by pcntl_exec(), is not touched. */
$worker = start_php(CHILD_BEGINS . '$lease = $lock->lease("k", 60);
    pcntl_exec("/bin/sh", ["-c", "echo ready; exec sleep 60"]);', [$server->dsn()]);
$worker->expect('~ready~');
usleep(100_000);
seconds_to_end($worker);
same('pcntl_exec(): status', -SIGTERM, $worker->status());
same('pcntl_exec(): keys', ['0:k'], $server->locks());
$server->cmd('DEL', 'k');

/* Process 1 of a container: the kernel ignores the signal, and the script goes on. */
$unshare = trim((string) shell_exec('unshare --pid --fork --kill-child true 2>&1 && echo yes'));
if ($unshare === 'yes') {
    $code = CHILD_BEGINS . '$lease = $lock->lease("k", 60); echo "ready ", getmypid(), "\n";
        while (!is_file(__FILE__ . ".end")) { usleep(1000); clearstatcache(); } ' . $go_on;
    $file = "$server->folder/one.inc";
    file_put_contents($file, "<?php $code");
    $worker = new PhpChild('unshare --pid --fork --kill-child ' . php_command() . " -f $file -- "
        . escapeshellarg($server->dsn()), []);
    same('process 1', 'ready 1', trim($worker->expect('~ready \d+\n~')));
    /* unshare's child, as it is seen from here. */
    $pids = shell_exec('ps -eo pid=,args= | grep -F ' . escapeshellarg($file)
        . ' | grep -v -e grep -e unshare');
    check('its pid here', preg_match_all('~^\s*(\d+)~m', (string) $pids, $m) === 1, $pids);
    send_signal((int) $m[1][0], SIGTERM);
    touch("$file.end");
    $output = $worker->output();
    check('process 1 goes on with its lease', str_ends_with(rtrim($output), "held\nthere"),
        $output);
    same('process 1: keys', [], $server->locks());
}

done();
?>
--EXPECT--
ok
