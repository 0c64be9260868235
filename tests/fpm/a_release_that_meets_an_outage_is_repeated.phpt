--TEST--
A lock that the end of a request could not free is freed by the worker soon after the server is back, also without a next request.
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
require __DIR__ . '/../inc/outage.inc';

$server = start_server();
$fpm = start_fpm($server);
$timeout = min(room(0.4), 0.6 * OUTAGE);
foreach (outages() as $name => $outage) {
    foreach (['true', 'false'] as $renew) {
        $request = $fpm->start('
            $lock = new RedisLock(timeout: ' . $timeout . ');
            $GLOBALS["lease"] = $lease = $lock->lease("k", 20, renew: ' . $renew . ');
            echo "taken";
            flush();
            while (!file_exists($_GET["go"])) { usleep(1000); }',
            ['go' => $go = "$server->folder/go-" . md5("$name$renew")]);
        $request->expect('~taken~');
        freed_after_outage("$name, renew: $renew", $server, $outage,
                function () use ($request, $go): void {
            touch($go);
            $request->finish();
        });
        $fpm->normal("$name, renew: $renew", 'k');
    }
}

done();
?>
--EXPECT--
ok
