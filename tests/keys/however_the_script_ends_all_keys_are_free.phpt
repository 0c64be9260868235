--TEST--
However a script ends, all keys of a lease are free. So are the keys of a call that was waiting for a further key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$take = '$x = $lock->lease(["k", "l", "m"]); echo $lock->isLocked("m") ? "held\n" : "free\n"; ';
freed_by_the_end($server, 'the end', $take, '~^held\n$~');
freed_by_the_end($server, 'exit', "$take exit(3);", '~^held\n$~', 3);
freed_by_the_end($server, 'an exception', "$take throw new Exception('x');",
    '~held.*Uncaught~s', 255);
freed_by_the_end($server, 'a fatal error', "$take \$a = str_repeat('x', PHP_INT_MAX);",
    '~held.*Fatal~s', 255);
/* During the wait for the second key, which another object of the script holds. */
$wait = 'pcntl_async_signals(true); $own = $lock->acquire("l", 60);
    pcntl_signal(SIGALRM, function () use ($lock, $own) {
        echo $lock->isLocked("k") ? "held\n" : "free\n"; $lock->release("l", $own); %s });
    pcntl_alarm(1); $x = $lock->lease(["k", "l", "m"], 30, 60); ';
$ends = ['exit(3);' => 3, 'throw new Exception("x");' => 255,
    'str_repeat("x", PHP_INT_MAX);' => 255];
foreach ($ends as $end => $status) {
    freed_by_the_end($server, "in a wait: $end", sprintf($wait, $end), '~^held\n~', $status);
}

/* SIGTERM during the wait. */
if (FREES_ON_SIGTERM) {
    $waiter = start_php('$lock = new RedisLock($argv[1]);
        $x = $lock->lease(["k", "l", "m"], 30, 60);', [$server->dsn()]);
    $server->cmd('SET', 'l', 'somebody', 'PX', 60000);
    eventually('it has the first key', fn () => $server->cmd('EXISTS', 'k') === 1, 10.0);
    $waiter->signal(SIGTERM);
    same('SIGTERM: status', -SIGTERM, $waiter->status());
    same('SIGTERM: keys', ['0:l'], $server->locks());
}

/* A fork: the child has no key. */
$server->cmd('DEL', 'l');
$lock = new RedisLock($server->dsn());
$lease = $lock->lease(['k', 'l']);
reap(in_fork(function () use ($lease): void {
    same('the child: isHeld()', false, $lease->isHeld());
    same('the child: loss()', RedisLockLoss::Forked, $lease->loss());
    same('the child: release()', false, $lease->release());
}));
same('the parent keeps both', [true, 2], [$lease->isHeld(), present($server, 'k', 'l')]);

done();
?>
--EXPECT--
ok
