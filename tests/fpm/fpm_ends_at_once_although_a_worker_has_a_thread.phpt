--TEST--
FPM ends at once although a worker has a thread, also when the server hangs or is gone; then the TTL frees the locks.
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

/* A renewed lease that was freed, one whose release got no answer, and one whose server is gone. */
$cases = [
    'idle' => [SIGQUIT, ''],
    'idle, SIGTERM' => [SIGTERM, ''],
    'hangs' => [SIGQUIT, 'pause'],
    'is gone' => [SIGQUIT, 'kill'],
];
$ttl = room(1.5);
$running = [];
/* All servers first: they would inherit the connection of a request, and FPM waits for its end. */
foreach ($cases as $what => $case) {
    $server = start_server();
    $running[$what] = [$server, start_fpm($server)];
}
foreach ($running as $what => [$server, $fpm]) {
    $running[$what][] = $fpm->start('
        $lock = new RedisLock(timeout: 20, connectTimeout: 20);
        $lease = $lock->lease("k", ttl: (float) $_GET["ttl"]);
        unset($lock);
        echo "taken ";
        flush();
        while (!file_exists($_GET["go"])) { usleep(1000); clearstatcache(); }
        echo "done";', ['go' => "$server->folder/go", 'ttl' => $ttl])->expect('~taken~');
}
usleep((int) (0.4e6 * $ttl)); // renewed once
foreach ($running as $what => [$server]) {
    $trouble = $cases[$what][1];
    $trouble === '' || $server->$trouble();
}
usleep((int) (0.4e6 * $ttl)); // the next renewal is on its way, or cannot be
foreach ($running as $what => [$server, $fpm, $request]) {
    [$signal, $trouble] = $cases[$what];
    touch("$server->folder/go");
    same("$what: body", 'taken done', $request->finish()->body);
    $took = elapsed(function () use ($fpm, $signal, $what): void {
        $fpm->signal($signal);
        check("$what: the master has ended", $fpm->ended(5.0), $fpm->log());
    });
    between("$what: at once", 0, slack(1.0), $took);
    check("$what: no worker had to be killed", !preg_match('~exited on signal 9~', $fpm->log()),
        $fpm->log());
    $trouble !== 'pause' || $server->resume();
    $trouble === 'kill' || eventually("$what: no key is left", fn () => $server->keys() === [],
        $trouble === '' ? 0.2 : 2.0);
}

done();
?>
--EXPECT--
ok
