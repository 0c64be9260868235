--TEST--
FPM ends at once although a worker has a thread, also when the server hangs or is gone; then the TTL frees what is left.
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

/* A renewed lease that has been freed, one whose release nobody heard, and one that was in use. */
$cases = ['idle' => [SIGQUIT, ''], 'idle, SIGTERM' => [SIGTERM, ''], 'hangs' => [SIGQUIT, 'pause'], 'is gone' => [SIGQUIT, 'kill']];
foreach ($cases as $what => [$signal, $trouble]) {
    $server = start_server();
    $fpm = start_fpm($server);
    $request = $fpm->start('
        $lease = (new RedisLock(timeout: 20, connectTimeout: 20))->lease("k", ttl: 1.2);
        echo "taken ";
        flush();
        while (!file_exists($_GET["go"])) { usleep(1000); clearstatcache(); }
        echo "done";', ['go' => "$server->folder/go"]);
    $request->expect('~taken~');
    usleep(450000); // renewed once
    $trouble !== '' && $server->$trouble();
    $trouble !== '' && usleep(450000); // the next renewal is on its way, or cannot be
    touch("$server->folder/go");
    same("$what: body", 'taken done', $request->finish()->body);
    $took = elapsed(function () use ($fpm, $signal, $what): void {
        $fpm->signal($signal);
        check("$what: the master has ended", $fpm->ended(5.0), $fpm->log());
    });
    between("$what: at once", 0, slack(1.0), $took);
    check("$what: no worker had to be killed", !preg_match('~exited on signal 9~', $fpm->log()), $fpm->log());
    if ($trouble !== 'kill') {
        $trouble === 'pause' && $server->resume();
        eventually("$what: no key is left", fn () => $server->keys() === [], $trouble === '' ? 0.2 : 1.5);
    }
    $fpm->stop();
    $server->stop();
}

done();
?>
--EXPECT--
ok
