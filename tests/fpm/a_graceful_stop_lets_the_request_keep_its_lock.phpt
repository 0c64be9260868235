--TEST--
A graceful stop or reload of FPM leaves a request its lock until it is done, if process_control_timeout allows it.
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

foreach (['stop' => SIGQUIT, 'reload' => SIGUSR2] as $what => $signal) {
    foreach (['holds' => false, 'waits for' => true] as $how => $must_wait) {
        $server = start_server();
        $fpm = start_fpm($server, ['process_control_timeout' => '30s']);
        $worker = $fpm->normal("$what, $how: before");
        $must_wait && $server->cmd('SET', 'k', 'somebody', 'PX', 20000);
        $request = $fpm->start('
            echo "begun ";
            flush();
            $lock = new RedisLock();
            $lease = $lock->lease("k", ttl: 20, wait: 10);
            echo "taken ";
            flush();
            while (!file_exists($_GET["go"])) { usleep(1000); clearstatcache(); }
            echo json_encode([getmypid(), $lease->isHeld(),
                $lock->owner("k") === $lease->token()]);',
            ['go' => "$server->folder/go"]);
        $request->expect($must_wait ? '~begun~' : '~taken~');
        if ($must_wait) {
            eventually("$what: it waits",
                fn () => (int) $server->client()->info('clients')['blocked_clients'] === 1);
        }
        $fpm->signal($signal);
        /* Time enough to go wrong in. */
        check("$what, $how: the master waits", $fpm->goesOn(0.3));
        if ($must_wait) {
            check("$what: it still waits", !str_contains($request->body, 'taken'), $request->body);
            (new RedisLock($server->dsn(), persistent: false))->release('k', 'somebody');
            $request->expect('~taken~');
        }
        same("$what, $how: the keys meanwhile", ['0:k'], $server->locks());
        touch("$server->folder/go");
        same("$what, $how: it was held to the end", "begun taken [$worker,true,true]",
            $request->finish()->body);
        check("$what, $how: FPM ended the request", $request->endedAt !== null);
        same("$what, $how: keys", [], $server->locks());
        if ($signal === SIGQUIT) {
            check("$what, $how: the master has ended", $fpm->ended(5.0), $fpm->log());
            eventually("$what, $how: no connection", fn () => $server->client()->clients() === []);
        } else {
            check("$what, $how: a new worker", $fpm->normal("$what, $how", 'k') !== $worker);
            check("$what, $how: the master lives", !$fpm->ended(0));
            same("$what, $how: connections", 1, count($server->client()->clients()));
        }
        check("$what, $how: no worker had to be killed",
            !preg_match('~exited on signal~', $fpm->log()), $fpm->log());
        $fpm->stop();
        $server->stop();
    }
}

done();
?>
--EXPECT--
ok
