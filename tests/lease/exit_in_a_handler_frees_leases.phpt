--TEST--
exit, a fatal error or an exception in a handler that runs in a wait frees the leases of the script.
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
$lock = new RedisLock($server->dsn());
$server->cmd('SET', 'taken', 'somebody');
foreach (['exit(3);' => 3, 'trigger_error("x", E_USER_ERROR);' => 255,
        'throw new LogicException("x");' => 255] as $end => $status) {
    foreach (['$other = $lock->lease("taken", 60, 60);',
            '$lock->synchronized("taken", fn () => 1, 60, 60);',
            '$lock->synchronized("l", fn () => $lock->lease("taken", 60, 60));'] as $wait) {
        $child =
            start_php(CHILD_BEGINS
                . 'pcntl_async_signals(true); pcntl_signal(SIGUSR1, function () { ' . $end
                . ' }); $lease = $lock->lease("k", 60); echo "ready\n"; ' . $wait
                . ' echo "not here";', [$server->dsn()]);
        $child->expect('~ready~');
        usleep(60000);
        $child->signal(SIGUSR1);
        check("$end $wait: output", !str_contains($child->output(), 'not here'), $child->output());
        same("$end $wait: keys", ['0:taken'], $server->locks());
        same("$end $wait: status", $status, $child->status());
    }
}

done();
?>
--EXPECT--
ok
