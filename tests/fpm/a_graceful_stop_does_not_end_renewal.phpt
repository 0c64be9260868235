--TEST--
A graceful stop or reload of FPM does not end renewal: a request that lasts longer than its TTL keeps the lock.
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

$unit = room(0.1);
$running = [];
/* All servers first: they would inherit the connection of a request, and FPM waits for its end. */
foreach (['stop' => SIGQUIT, 'reload' => SIGUSR2] as $what => $signal) {
    $server = start_server();
    $running[$what] = [$server, start_fpm($server, ['process_control_timeout' => '30s']), $signal];
}
foreach ($running as $what => [$server, $fpm, $signal]) {
    $request = $fpm->start('
        $lock = new RedisLock();
        $lease = $lock->lease("k", ttl: 5 * $_GET["unit"]);
        echo "taken ";
        flush();
        $until = microtime(true) + 13 * $_GET["unit"];
        for (; microtime(true) < $until; usleep(10000));
        echo json_encode([$lease->isHeld(), $lock->owner("k") === $lease->token(),
            RedisLock::stats()["lost"]]);', ['unit' => $unit]);
    $request->expect('~taken~');
    $fpm->signal($signal);
    $running[$what][] = $request;
}
/* From outside, for longer than the TTL. */
for ($until = now() + 9 * $unit; now() < $until; usleep(10000)) {
    foreach ($running as $what => [$server]) {
        if ($server->keys() !== ['0:k']) {
            check("$what: the lock is there", false, $server->keys());
            break 2;
        }
    }
}
foreach ($running as $what => [$server, $fpm, , $request]) {
    same("$what: it was held to the end", 'taken [true,true,0]', $request->finish()->body);
    same("$what: keys", [], $server->locks());
    if ($what === 'stop') {
        check('the master has ended', $fpm->ended(5.0), $fpm->log());
        eventually('no connection', fn () => $server->client()->clients() === []);
    } else {
        $fpm->normal($what);
    }
    check("$what: no worker had to be killed", !preg_match('~exited on signal~', $fpm->log()),
        $fpm->log());
}

done();
?>
--EXPECT--
ok
