--TEST--
SIGTERM while the caller's own token replaces the drawn token that has won deletes the key, whichever of the two it has.
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
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();

/* The server knows the scripts: of a worker that polls the second EVALSHA is the swap. */
$lock = new RedisLock($server->dsn(), wake: false, retryDelay: 0.05);
undisturbed(0.05, function () use ($lock, $server): void {
    $server->cmd('DEL', 'k');
    $ttl = room(0.1);
    $ignored = $lock->acquire('k', $ttl);
    for ($round = 0; $round < 2; $round++) {
        same('scripts', 'warm up', $lock->acquire('k', $ttl, slack(2.0), 'warm up'));
    }
});
$server->cmd('DEL', 'k');
$later = room(0.5);

/* The proxy's treatment of the swap, and the key's value then: my own token, or a drawn one. */
$ways = [
    'carried out, and not answered' => [['forward', 'hang'], '~^my own$~'],
    'not carried out' => [['hang'], '~^rl1\.~'],
    'carried out later' => [[wait_for($later), 'pass'], '~^rl1\.~'],
];
foreach ($ways as $way => [$steps, $held]) {
    $server->cmd('SET', 'k', 'theirs');
    $proxy = fake_server([rule('EVALSHA', $steps, times: 1, skip: 1)], $server);
    $worker =
        start_php(
            '$lock = new RedisLock($argv[1], wake: false, retryDelay: 0.3, retryMaxDelay: 0.3,
                jitter: 0, timeout: 10);
        echo "ready\n"; $lease = $lock->lease("k", 60, 20, token: "my own"); sleep(60);',
        [$proxy->dsn()]);
    $worker->expect('~ready~');
    eventually("$way: the first SET", fn () => count($proxy->commands('SET')) === 1);
    usleep(50_000);
    $server->cmd('DEL', 'k');
    eventually("$way: the swap", fn () => count($proxy->commands('EVALSHA')) === 2);
    eventually("$way: the key before",
        fn () => preg_match($held, (string) $server->cmd('GET', 'k')) === 1);
    $took = seconds_to_end($worker);
    same("$way: status", -SIGTERM, $worker->status());
    between("$way: its end", 0, 0.3 + slack(0.7), $took);
    same("$way: keys", [], $server->locks());
    usleep((int) (1.2e6 * $later) * (int) ($way === 'carried out later'));
    same("$way: keys later", [], $server->locks());
}

done();
?>
--EXPECT--
ok
