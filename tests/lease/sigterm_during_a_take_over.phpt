--TEST--
SIGTERM at any moment of resume() leaves a lock that is free or has the given token, never a token that no process knows.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind(); /* a process that is killed frees nothing */
skip_by_topology('the proxy is one server');
skip_without_sigterm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sigterm.inc';
require __DIR__ . '/../inc/fake_server.inc';

$moments = rounds(18, 200);
const AT_ONCE = 6;
const LAST = 0.15; /* a resume() takes 0.06 s, then the lease is held */

/* One server, and three with different latencies. */
$work = '$lock = new RedisLock(explode(" ", $argv[1]));
    echo "ready\n"; fgets(STDIN);
    $lease = $lock->resume($argv[2], $argv[3], 60);
    echo $lease === null ? "refused\n" : "resumed\n"; sleep(60);';
foreach ([[[60], $moments], [[30, 60, 90], intdiv($moments, 2)]] as [$latencies, $count]) {
    $servers = array_map(fn () => start_server(), $latencies);
    foreach ($servers as $server) {
        $ignored = (new RedisLock($server->dsn()))->resume('warm up', 'x'); /* loads the script */
    }
    $proxies = array_map(latency_of(...), $latencies, $servers);
    $dsns = implode(' ', array_map(fn ($proxy) => $proxy->dsn(), $proxies));
    $ends = ['given' => 0, 'free' => 0];
    for ($next = 0; $next < $count; $next += AT_ONCE) {
        /* The end of a process waits a quarter of a second for the servers, and no longer. */
        undisturbed(0.1, function () use ($next, $count, $servers, $proxies, $dsns, $work,
                &$ends): void {
            $workers = $tokens = [];
            for ($i = $next; $i < min($count, $next + AT_ONCE); $i++) {
                $tokens[$i] = RedisLock::token();
                foreach ($servers as $server) {
                    $server->cmd('SET', "k$i", $tokens[$i], 'PX', 60_000);
                }
                $workers[$i] = start_php($work, [$dsns, "k$i", $tokens[$i]]);
            }
            foreach ($workers as $worker) {
                $worker->expect('~ready~');
            }
            foreach ($workers as $i => $worker) {
                $worker->tell('go');
                usleep((int) (1e6 * LAST * $i / $count));
                $worker->signal(SIGTERM);
                $output = $worker->output();
                same("moment $i: status", -SIGTERM, $worker->status());
                check("moment $i: not refused", !str_contains($output, 'refused'), $output);
            }
            foreach ($proxies as $proxy) {
                $proxy->drain();
            }
            foreach ($tokens as $i => $token) {
                $held = array_map(fn ($server) => $server->cmd('GET', "k$i"), $servers);
                $is_known = fn ($on_one) => in_array($on_one, [$token, null], true);
                /* The end of the process does not wait for a minority. */
                $unknown = count($held) - count(array_filter($held, $is_known));
                check("moment $i: the token is known",
                    $unknown <= intdiv(count($held) - 1, 2), $held);
                foreach (array_keys($held, $token, true) as $index) {
                    between("moment $i: its TTL", 1, 60_000,
                        $servers[$index]->cmd('PTTL', "k$i"));
                }
                $ends['given'] += in_array($token, $held, true);
                $ends['free'] += in_array(null, $held, true);
            }
        });
    }
    check('both ends were met', $ends['given'] > 0 && $ends['free'] > 0, $ends);
}

done();
?>
--EXPECT--
ok
