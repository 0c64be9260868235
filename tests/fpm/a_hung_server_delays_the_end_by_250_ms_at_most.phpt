--TEST--
Under FPM a server that hangs delays the end of a request by 250 ms at most, however it ends.
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

$server = start_server();
$go = "$server->folder/go";
$fpm = start_fpm($server);
$worker = json_decode($fpm->run('echo getmypid();')->body);
/* The end of the script, the number of objects, of leases of each, and the TTL, which decides
 * whether a renewal is on its way. */
$endings = [
    'return' => ['', 1, 1],
    'exit' => ['exit;', 1, 1],
    'an exception' => ['throw new Exception;', 1, 1],
    'a fatal error' => ['eval("class RedisLock {}");', 1, 1],
    'a hundred leases, return' => ['', 1, 100],
    'a hundred leases, a fatal error' => ['eval("class RedisLock {}");', 1, 100],
    'many objects, return' => ['', 5, 2],
    'many objects, exit' => ['exit;', 5, 2],
    'many objects, a fatal error' => ['eval("class RedisLock {}");', 5, 2],
    'renewals, return' => ['', 1, 2, 1.2],
    'renewals, a fatal error' => ['eval("class RedisLock {}");', 2, 10, 1.2],
];
foreach ($endings as $what => $ending) {
    [$code, $objects, $leases, $ttl] = $ending + [3 => 30];
    foreach (['in a global' => 'global $leases;', 'in a function' => ''] as $where => $global) {
        $took = INF;
        /* The machine may be busy with something else, once or twice. */
        for ($try = 0; $took > 0.25 && $try < 3; $try++) {
            $request = $fpm->start('
                function main()
                {
                    ' . $global . '
                    for ($i = 0; $i < $_GET["objects"]; $i++) {
                        $lock = new RedisLock(null, "$i:");
                        for ($j = 0; $j < $_GET["leases"]; $j++) {
                            $leases[] = $lock->lease("k$j", $_GET["ttl"]) ?? exit("refused");
                        }
                    }
                    echo "taken";
                    flush();
                    while (!file_exists($_GET["go"])) { usleep(1000); clearstatcache(); }
                    printf(" %.0f", hrtime(true));
                    ' . $code . '
                }
                main();', ['go' => $go, 'objects' => $objects, 'leases' => $leases, 'ttl' => $ttl]);
            $request->expect('~taken~');
            $watch = new Stopwatch();
            $server->pause();
            $ttl > 5 || usleep((int) ($ttl / 2 * 1e6));
            touch($go);
            $request->finish();
            unlink($go);
            /* The worker is free again when it answers. */
            $next = $fpm->run('echo getmypid();');
            same("$what, $where: the next request", (string) $worker, $next->body);
            matches("$what, $where: what it printed", '~^taken \d+$~D', $request->body);
            $took = max($request->endedAt, $next->endedAt)
                - (float) substr($request->body, 6) / 1e9;
            $server->resume();
            usleep(20000); // what was sent is read now
            $server->cmd('FLUSHALL');
        }
        $watch->within("$what, $where: the delay", slack(0.25), 0.0, $took);
    }
}
$fpm->normal('in the end', 'k', $worker);

done();
?>
--EXPECT--
ok
