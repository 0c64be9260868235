--TEST--
If FPM kills a worker during a request while redislock.free_on_sigterm is off, the TTL frees the lock, and the next worker can take it then.
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

$kills = [
    'stop, no process_control_timeout' => [[], [], SIGQUIT],
    'reload, no process_control_timeout' => [[], [], SIGUSR2],
    'SIGTERM' => [['process_control_timeout' => '10s'], [], SIGTERM],
    'a process_control_timeout that is too short' => [['process_control_timeout' => '1s'], [],
        SIGUSR2],
    'request_terminate_timeout' => [[], ['request_terminate_timeout' => '1s'], null],
];
/* The TTL is longer than the requests take to end, where nothing stalls. */
undisturbed(0.5, function () use ($kills): void {
    $ttl = room(2.5);
    $started = [];
    foreach ($kills as $what => [$global, $pool, $signal]) {
        $server = start_server();
        $fpm = start_fpm($server, $global, $pool, ['redislock.free_on_sigterm' => '0']);
        $started[$what] = [$server, $fpm, $signal,
            $signal === null ? null : $fpm->normal("$what: before")];
    }
    $running = [];
    foreach ($started as $what => [$server, $fpm, $signal, $worker]) {
        $request = $fpm->start('
            $lock = new RedisLock();
            $lease = $lock->lease("k", ttl: ' . $ttl . ');
            echo "taken ", getmypid();
            flush();
            while (true) { usleep(1000); }');
        $request->expect('~taken \d+~');
        $running[$what] = [$server, $fpm, $signal, $request,
            $worker ?? (int) substr($request->body, 6), now()];
        if ($signal !== null) {
            $fpm->signal($signal);
        }
    }
    /* The locks of all are there before the first is waited for. */
    foreach ($running as $what => [$server, $fpm, $signal, $request, $worker]) {
        $request->finish();
        check("$what: its request was not ended", $request->endedAt === null);
        same("$what: the lock is still there", ['0:k'], $server->keys());
        if ($signal !== SIGQUIT && $signal !== SIGTERM) {
            $next = $fpm->run('
                $lock = new RedisLock();
                echo json_encode([getmypid(), $lock->lease("k") !== null]);');
            [$pid, $is_taken] = json_decode($next->body);
            check("$what: a new worker", $pid !== $worker, $pid);
            same("$what: which finds it taken", false, $is_taken);
            $running[$what][] = $pid;
        }
    }
    foreach ($running as $what => [$server, $fpm, $signal, , , $taken_at]) {
        eventually("$what: the TTL frees it", fn () => $server->keys() === [], $ttl);
        check("$what: and not before", now() - $taken_at > $ttl - 0.1, now() - $taken_at);
        if ($signal === SIGQUIT || $signal === SIGTERM) {
            check("$what: the master has ended", $fpm->ended(5.0), $fpm->log());
        } else {
            $fpm->normal($what, 'k', $running[$what][6]);
        }
    }
});

done();
?>
--EXPECT--
ok
