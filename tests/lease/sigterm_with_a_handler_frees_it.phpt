--TEST--
With the handler that the documents recommend, SIGTERM frees leases: in sleep(), in busy code, in a section, in a wait for another lock.
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
foreach ([
    'asleep' => '$lease = $lock->lease("k", 60); echo "ready\n"; sleep(60);',
    'busy' => '$lease = $lock->lease("k", 60); echo "ready\n"; while (true) {}',
    'in a section' => '$lock->synchronized("k", function () { echo "ready\n"; sleep(60); }, 60);',
    'in a wait' =>
        '$lease = $lock->lease("k", 60); echo "ready\n"; $second = $lock->lease("taken", 60, 60);',
    'in a wait of a section' =>
        '$lock->synchronized("k", function () use ($lock) { echo "ready\n"; $lock->synchronized("taken", fn () => 1, 60, 60); }, 60);',
] as $what => $code) {
    $child =
        start_php(CHILD_BEGINS
            . 'pcntl_async_signals(true); pcntl_signal(SIGTERM, fn () => exit(0));' . $code
            . ' echo "no";', [$server->dsn()]);
    $child->expect('~ready~');
    usleep(50000);
    $child->signal(SIGTERM);
    same("$what: output", "ready\n", $child->output());
    same("$what: keys", ['0:taken'], $server->locks());
    same("$what: status", 0, $child->status());
}

done();
?>
--EXPECT--
ok
