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
if (PHP_ZTS) {
    die('skip not in thread-safe builds');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/sigterm.inc';

/* REDISLOCK_SIGTERM_MOMENTS: for a long run, 200. */
$moments = (int) (getenv('REDISLOCK_SIGTERM_MOMENTS') ?: 30);
const AT_ONCE = 6;
const LAST = 0.15; /* a resume() takes 0.06 s, then the lease is held */

$server = start_server();
$lock = new RedisLock($server->dsn());
$lock->resume('warm up', 'x'); /* the server knows the script */
$proxy = latency_of(60, $server);
$work = '$lock = new RedisLock($argv[1]);
    echo "ready\n"; fgets(STDIN);
    $lease = $lock->resume($argv[2], $argv[3], 60);
    echo $lease === null ? "refused\n" : "resumed\n"; sleep(60);';
$ends = ['given' => 0, 'free' => 0];
for ($next = 0; $next < $moments; $next += AT_ONCE) {
    $workers = $tokens = [];
    for ($i = $next; $i < min($moments, $next + AT_ONCE); $i++) {
        $tokens[$i] = RedisLock::token();
        $server->cmd('SET', "k$i", $tokens[$i], 'PX', 60_000);
        $workers[$i] = start_php($work, [$proxy->dsn(), "k$i", $tokens[$i]]);
    }
    foreach ($workers as $worker) {
        $worker->expect('~ready~');
    }
    foreach ($workers as $i => $worker) {
        $worker->tell('go');
        usleep((int) (1e6 * LAST * $i / $moments));
        $worker->signal(SIGTERM);
        $output = $worker->output();
        same("moment $i: status", -SIGTERM, $worker->status());
        check("moment $i: not refused", !str_contains($output, 'refused'), $output);
    }
    $proxy->drain();
    foreach ($tokens as $i => $token) {
        $held = $server->cmd('GET', "k$i");
        check("moment $i: the token is known", in_array($held, [$token, null], true), $held);
        if ($held === $token) {
            between("moment $i: its TTL", 1, 60_000, $server->cmd('PTTL', "k$i"));
        }
        $ends[$held === null ? 'free' : 'given']++;
    }
}
check('both ends were met', $ends['given'] > 0 && $ends['free'] > 0, $ends);

done();
?>
--EXPECT--
ok
