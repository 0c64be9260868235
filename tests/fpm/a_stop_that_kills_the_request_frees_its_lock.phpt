--TEST--
If FPM kills a worker by SIGTERM during a request, the lock is free at once, and the next worker can take it.
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

$limit = ceil(room(1.0)) . 's';
/* The first two are what Debian's settings do. */
$kills = [
    'stop, no process_control_timeout' => [[], [], SIGQUIT],
    'reload, no process_control_timeout' => [[], [], SIGUSR2],
    'SIGTERM' => [['process_control_timeout' => '10s'], [], SIGTERM],
    'a process_control_timeout that is too short' => [['process_control_timeout' => '1s'], [],
        SIGUSR2],
    'request_terminate_timeout' => [[], ['request_terminate_timeout' => $limit], null],
];
$works = ['sleeps' => 'while (true) { sleep(1); }', 'is busy' => 'while (true) { }'];
foreach ($kills as $what => [$global, $pool, $signal]) {
    foreach ($works as $doing => $work) {
        $server = start_server();
        $fpm = start_fpm($server, $global, $pool);
        /* A request before it, so that the worker's first handler has been reset. */
        $fpm->normal("$what, $doing: before");
        $request = $fpm->start('
            $lock = new RedisLock();
            $lease = $lock->lease("k", ttl: 30);
            echo "taken";
            flush();
            ' . $work);
        $request->expect('~taken~');
        if ($signal !== null) {
            $fpm->signal($signal);
        }
        $request->finish();
        $ended_at = now();
        check("$what, $doing: its request was not ended", $request->endedAt === null);
        eventually("$what, $doing: the lock goes", fn () => $server->keys() === [], 5.0);
        between("$what, $doing: at once", 0, 0.3 + slack(0.7), now() - $ended_at);
        if ($signal === SIGQUIT || $signal === SIGTERM) {
            check("$what, $doing: the master has ended", $fpm->ended(5.0), $fpm->log());
        } else {
            $fpm->normal("$what, $doing: after");
        }
        $fpm->stop();
        $server->stop();
    }
}

done();
?>
--EXPECT--
ok
