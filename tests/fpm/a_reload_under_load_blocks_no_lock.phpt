--TEST--
During reloads of FPM as distributions ship it, with 16 workers that want one lock, no request waits for a lock of a dead worker.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/fpm.inc';
skip_without_fpm();
skip_without_sigterm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fpm.inc';

$reloads = rounds(3, 10);
const WORKERS = 16;
$server = start_server();
/* process_control_timeout = 0 is the default. */
$fpm = start_fpm($server, [], ['pm.max_children' => WORKERS]);
$code = '
    $start = microtime(true);
    $lease = (new RedisLock())->lease("k", 30, 25);
    usleep(5000);
    printf("%.3f done", $lease === null ? 99 : $lease->waited());';

$start = static function () use ($fpm, $code): ?FpmRequest {
    try {
        return $fpm->start($code);
    } catch (RuntimeException) {
        return null; // it is starting again
    }
};
$waits = [];
$requests = [];
$next_reload = now() + 1.0;
$end = now() + 1.0 + 1.5 * $reloads + 1.0;
$done = 0;
/* On a busy machine requests take longer. */
$goes_on = static function () use ($end, &$waits): bool {
    return now() < $end || (count($waits) <= 100 && time_left() > 30);
};
while ($goes_on() || $requests !== []) {
    if ($done < $reloads && now() >= $next_reload) {
        $fpm->signal(SIGUSR2);
        $next_reload = now() + 1.5;
        $done++;
    }
    while (count($requests) < WORKERS && $goes_on()) {
        $request = $start();
        if ($request === null) {
            usleep(5000);
            break;
        }
        $requests[] = $request;
    }
    usleep(1000);
    foreach ($requests as $i => $request) {
        if (!$request->poll()) {
            unset($requests[$i]);
            if (preg_match('~^([\d.]+) done~', $request->body, $m)) {
                $waits[] = (float) $m[1];
            }
        }
    }
}
same('reloads', $reloads, $done);
check('requests were served', count($waits) > 100, count($waits));
$turns = WORKERS * 0.005;
between('the longest wait for a lock', 0, 1.0 + $turns + slack(1.0), max($waits));
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
