--TEST--
Many requests, a tenth of which end in a fatal error, leave no key, no memory and at most three connections.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/fpm.inc';
skip_without_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fpm.inc';

/* REDISLOCK_FPM_REQUESTS=10000 is the number that is promised. It then tells what it has seen. */
$count = (int) (getenv('REDISLOCK_FPM_REQUESTS') ?: 3000);
$code = '
    $lock = new RedisLock();
    $n = (int) $_GET["n"];
    $lease = $lock->lease("k");
    $more = $lock->lease("order:$n", ttl: 60, wait: 1);
    if ($n % 20 === 7) {
        $lock->lease("k", wait: 0.001);
    }
    echo $lease !== null && $more !== null && $lease->isHeld() ? getmypid() : "no lock";
    if ($n % 20 === 3) {
        eval("class RedisLock {}");
    }
    if ($n % 20 === 13) {
        ini_set("memory_limit", "4M");
        str_repeat("a", 16 << 20);
    }
    if ($n % 20 === 5) {
        throw new Exception("oh");
    }
    if ($n % 20 === 17) {
        $kept = new stdClass;
        $kept->self = $kept;
        $kept->leases = [$lease, $more];
    }';
$logged = [3 => 'PHP Fatal error:  Cannot ', 13 => 'PHP Fatal error:  Allowed memory size', 5 => 'Uncaught Exception: oh'];

$server = start_server();
$fpm = start_fpm($server);
$worker = $fpm->normal('first');
$rss = fn () => preg_match('~^VmRSS:\s+(\d+) kB~m', (string) @file_get_contents("/proc/$worker/status"), $m) ? (int) $m[1] : 0;
$files = fn () => count(@scandir("/proc/$worker/fd") ?: []);
$most = 0;
$run = function (int $from, int $to) use ($fpm, $server, $code, $logged, $worker, &$most): void {
    for ($n = $from; $n < $to; $n++) {
        $request = $fpm->run($code, ['n' => $n]);
        $expected = $logged[$n % 20] ?? '';
        if ($request->body !== (string) $worker || ($expected === '' ? $request->errors !== '' : !str_contains($request->errors, $expected))) {
            check("request $n", false, [$request->body, $request->errors]);
            return;
        }
        if ($n % 20 === 7 || $n % 100 === 0) {
            $most = max($most, count($server->client()->clients()));
        }
    }
};
$run(0, $warm_up = intdiv($count, 10));
usleep(100000); // the worker closes the client's connection after it has answered
$before = [$rss(), $files()];
$start = now();
$run($warm_up, $warm_up + $count);
$took = now() - $start;
usleep(100000);
$after = [$rss(), $files()];
same('keys', [], $server->locks());
check('connections: three at most', $most >= 1 && $most <= 3, $most);
check('RSS has not grown', $after[0] - $before[0] <= 64, [$before[0], $after[0]]);
check('open files: two connections more at most', $after[1] <= $before[1] + 2, [$before[1], $after[1]]);
$fpm->normal('last', 'k', $worker);
if (getenv('REDISLOCK_FPM_REQUESTS')) {
    fprintf(STDERR, "%d requests in %.1f s; RSS %d kB, then %d kB; files %d, %d; connections %d\n",
        $count, $took, $before[0], $after[0], $before[1], $after[1], $most);
}

done();
?>
--EXPECT--
ok
