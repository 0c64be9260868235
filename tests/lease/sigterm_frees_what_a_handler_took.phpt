--TEST--
SIGTERM frees a lease that a signal handler of the script has taken, once the script has asked for a lock or a lease after that.
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

/* PHP blocks all signals while the handler runs. */
$server = start_server();
$asks = [
    'verify()' => '$lease->verify();',
    'acquire()' => '$lock->release("x", $lock->acquire("x", 60));',
];
foreach ($asks as $what => $ask) {
    $worker = start_php(CHILD_BEGINS . 'pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function () use ($lock, &$lease) {
            $lease = $lock->lease("k", 60);
        });
        echo "begins\n";
        while (!isset($lease)) { usleep(1000); }' . $ask . 'echo "ready\n"; sleep(60);',
        [$server->dsn()]);
    $worker->expect('~begins~');
    $worker->signal(SIGUSR1);
    $worker->expect('~ready~');
    same("$what: held", ['0:k'], $server->locks());
    seconds_to_end($worker);
    same("$what: status", -SIGTERM, $worker->status());
    same("$what: freed", [], $server->locks());
}

done();
?>
--EXPECT--
ok
