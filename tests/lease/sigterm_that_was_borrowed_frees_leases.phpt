--TEST--
Where a library has borrowed SIGTERM and restored the default, the next call about a lease, and the next acquire, installs the handler again.
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

/** The status of a worker that runs $code under a lease of "k", and the keys that stay. */
function ended(TestServer $server, string $code): array
{
    $worker = start_php(CHILD_BEGINS . '$lease = $lock->lease("k", 60);' . $code
        . 'echo "ready\n"; for ($i = 0; $i < 300 || !is_file($argv[2]); $i++) {
            usleep(1000); clearstatcache();
        }', [$server->dsn(), $go = "$server->folder/go"]);
    $worker->expect('~ready~');
    $worker->signal(SIGTERM);
    touch($go);
    $worker->output();
    unlink($go);
    $end = [$worker->status(), $server->locks()];
    $server->cmd('DEL', 'k');
    return $end;
}

const BORROW = 'pcntl_signal(SIGTERM, function () {}); pcntl_signal(SIGTERM, SIG_DFL);';

$server = start_server();
$server->cmd('SET', 'other', 'theirs');
$other = ['0:other'];
$calls = [
    'extend()' => '$lease->extend(60);',
    'verify()' => '$lease->verify();',
    ...(HAS_FENCES ? ['fence()' => '$lease->fence();'] : []),
    'acquire()' => '$other = $lock->acquire("other");',
    'lease()' => '$other = $lock->lease("other");',
    'the release of another lease' => '$l = $lock->lease("l", 60); ' . BORROW . ' $l->release();',
];
foreach ($calls as $what => $call) {
    same($what, [-SIGTERM, $other], ended($server, BORROW . $call));
}

/* The script's own settings of the signal stay. */
same('a handler', [0, $other],
    ended($server, BORROW . 'pcntl_signal(SIGTERM, function () {}); $lease->extend(60);'));
same('ignored', [0, $other],
    ended($server, BORROW . 'pcntl_signal(SIGTERM, SIG_IGN); $lease->extend(60);'));
same('switched off', [-SIGTERM, ['0:k', ...$other]],
    ended($server, 'ini_set("redislock.free_on_sigterm", "0");' . BORROW . '$lease->extend(60);'));

done();
?>
--EXPECT--
ok
