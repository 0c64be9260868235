--TEST--
redislock run sends signals on to its command, whose end it waits for; before the command is started a signal ends the wait.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the key is looked at on one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$signals = ['HUP' => SIGHUP, 'INT' => SIGINT, 'QUIT' => SIGQUIT, 'USR1' => SIGUSR1,
    'USR2' => SIGUSR2, 'TERM' => SIGTERM];

foreach ($signals as $name => $signal) {
    $tool = start_tool($server->dsn(), 'run', 'k', '--', 'sh', '-c',
        "trap 'echo got $name; read line; exit 5' $name; echo ready; while :; do sleep 0.05; done");
    $tool->expect('~ready~');
    $tool->signal($signal);
    $tool->expect("~got $name~");
    check("$name: the lock is held until the command has ended", $lock->isLocked('k'));
    $tool->tell('');
    same("$name: output", "ready\ngot $name\n", $tool->output());
    same("$name: exit code", 5, $tool->status());
    check("$name: the lock is free", !$lock->isLocked('k'));
}

/* A command without a handler dies of the signal. */
foreach ([SIGTERM, SIGUSR1] as $signal) {
    $tool = start_tool($server->dsn(), 'run', 'k', '--', 'sh', '-c', 'echo ready; exec sleep 100');
    $tool->expect('~ready~');
    $tool->signal($signal);
    same("died of $signal", 128 + $signal, $tool->status());
    check('the lock is free', !$lock->isLocked('k'));
}

$token = $lock->acquire('k', 60);
foreach ($signals as $name => $signal) {
    $tool = start_tool($server->dsn(), 'run', 'k', '--wait=60', '--', 'echo', 'ran');
    eventually('it waits', fn () => $lock->inspect('k')?->waiters === 1);
    $tool->signal($signal);
    same("$name ends a wait: output", '', $tool->output());
    same("$name ends a wait: exit code", 128 + $signal, $tool->status());
}
$lock->release('k', $token);
same('locks', [], $server->locks());

/* The moments around the start: no signal is lost, and none finds the lock left behind. */
for ($i = 0; $i < 20; $i++) {
    $tool = start_tool($server->dsn(), 'run', "round:$i", '--', 'sleep', '100');
    eventually('it has the lock', function () use ($lock, $i): bool {
        usleep(100 * $i);
        return $lock->isLocked("round:$i");
    });
    $tool->signal(SIGTERM);
    same("SIGTERM, round $i", 128 + SIGTERM, $tool->status());
}
same('locks', [], $server->locks());

done();
?>
--EXPECT--
ok
