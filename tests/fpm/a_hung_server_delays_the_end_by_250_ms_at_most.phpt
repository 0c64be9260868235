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
$endings = [
    'return' => '',
    'the end of a function' => '(function (&$lease) { $mine = $lease; $lease = null; $end = hrtime(true); })($lease);',
    'exit' => 'exit;',
    'an exception' => 'throw new Exception;',
    'a fatal error' => 'eval("class RedisLock {}");',
    'a hundred leases' => '',
];
foreach ($endings as $what => $code) {
    $took = [];
    for ($try = 0; $try < 2; $try++) {
        $request = $fpm->start('
            $lock = new RedisLock();
            $lease = $lock->lease("k", ttl: 2);
            $more = [];
            for ($i = 0; $i < $_GET["more"]; $i++) {
                $more[] = $lock->lease("more $i", ttl: 2);
            }
            echo "taken";
            flush();
            while (!file_exists($_GET["go"])) { usleep(1000); clearstatcache(); }
            echo " ", hrtime(true);
            ' . $code, ['go' => $go, 'more' => $what === 'a hundred leases' ? 99 : 0]);
        $request->expect('~taken~');
        $server->pause();
        touch($go);
        $request->finish();
        unlink($go);
        /* The worker is free again when it answers. */
        $next = $fpm->run('echo getmypid();');
        same("$what: the next request", (string) $worker, $next->body);
        matches("$what: what it printed", '~^taken \d+$~', $request->body);
        $took[] = max($request->endedAt, $next->endedAt) - (int) substr($request->body, 6) / 1e9;
        $server->resume();
    }
    between("$what: the delay", 0.0, slack(0.25), min($took));
    between("$what: the delay at worst", 0.0, slack(1.0), max($took));
}

done();
?>
--EXPECT--
ok
