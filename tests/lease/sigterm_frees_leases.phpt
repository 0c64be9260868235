--TEST--
SIGTERM to a worker that does not handle it frees its leases, whatever the worker does, and then ends the worker as usual.
--EXTENSIONS--
redislock
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
$server->cmd('SET', 'other', 'theirs');
$other = ['0:other'];
/* The end of a process has little time: a process that stalls leaves locks to their TTL. */
foreach (WORK as $what => $work) {
    undisturbed(0.05, function () use ($server, $what, $work, $other): void {
        $server->cmd('DEL', 'k', 'second');
        $worker = start_worker($server, $work);
        $worker->expect('~ready~');
        if ($what === 'the wait for another lock') {
            usleep(100_000);
        }
        $took = seconds_to_end($worker);
        same("$what: status", -SIGTERM, $worker->status());
        between("$what: its end", 0, slowness(), $took);
        same("$what: keys", $other, $server->locks());
    });
}

/* A waiter gets the lock at once. */
$worker = start_worker($server, 'sleep(60);');
$worker->expect('~ready~');
$waiter =
    start_php(CHILD_BEGINS
        . 'echo "ready\n"; $lease = $lock->lease("k", 5, 20); printf("%.3f got it\n", $lease->waited());',
        [$server->dsn()]);
$waiter->expect('~ready~');
usleep(200_000);
$worker->signal(SIGTERM);
$start = now();
$waiter->expect('~got it~');
between('a waiter is woken', 0, 0.3 + slack(0.7), now() - $start);
$waiter->output();
$worker->output();

/* Many leases of several objects and servers. */
$second = start_server();
undisturbed(0.05, function () use ($server, $second, $other): void {
    $second->cmd('FLUSHALL');
    $server->cmd('FLUSHALL');
    $server->cmd('SET', 'other', 'theirs');
    $worker = start_php(CHILD_BEGINS . '
        $more = new RedisLock($argv[2], "p:");
        for ($i = 0; $i < 200; $i++) {
            $all[] = $lock->lease("k$i", 60);
            $all[] = $more->lease("k$i", 60);
        }
        echo "ready\n"; sleep(60);', [$server->dsn(), $second->dsn()]);
    $worker->expect('~ready~');
    $took = seconds_to_end($worker);
    same('many: status', -SIGTERM, $worker->status());
    between('many: its end', 0, 1.3 * slowness(), $took);
    same('many: keys', [$other, []], [$server->locks(), $second->locks()]);
});

/* The time grows with the number of leases. */
$many = 'for ($i = 0; $i < 5000; $i++) { $all[] = $lock->lease("m$i", 600); }
    echo "ready\n"; sleep(60);';
$worker = start_php(CHILD_BEGINS . $many, [$server->dsn()]);
$worker->expect('~ready~');
$took = seconds_to_end($worker);
$left = count($server->locks()) - 1;
check('5000: keys stay only when the whole time was over', $left === 0 || $took >= 0.95,
    [$left, $took]);
between('5000: its end', 0, 1.0 + slack(1.0), $took);
$server->cmd('FLUSHALL');
$server->cmd('SET', 'other', 'theirs');
$worker = start_php(CHILD_BEGINS . $many, [$server->dsn()]);
$worker->expect('~ready~');
$server->pause();
between('5000 on a server that hangs', 0.95, 1.0 + slack(1.0), seconds_to_end($worker));
$server->resume();
$server->cmd('FLUSHALL');
$server->cmd('SET', 'other', 'theirs');

/* A server that hangs delays the end by 0.25 s. */
$worker = start_worker($server, 'sleep(60);');
$worker->expect('~ready~');
$server->pause();
between('a server that hangs', 0.2, 0.25 + slack(0.75), seconds_to_end($worker));
same('a server that hangs: status', -SIGTERM, $worker->status());
$server->resume();
$server->cmd('DEL', 'k');

/* From a shell. */
$command = php_command() . ' -r '
    . escapeshellarg(
        '$l = (new RedisLock($argv[1]))->lease("k", 60); exec("kill -TERM " . getmypid()); sleep(60);')
    . ' ' . escapeshellarg($server->dsn());
same('exit status', '143', trim((string) shell_exec("exec 2>/dev/null; $command; echo $?")));
same('keys', $other, $server->locks());

done();
?>
--EXPECT--
ok
