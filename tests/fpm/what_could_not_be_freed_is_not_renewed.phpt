--TEST--
A lock that could not be freed at the end of a request, because the server hung, is not renewed: it ends as soon as the server continues.
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
$fpm = start_fpm($server);
foreach (['return' => '', 'a fatal error' => 'eval("class RedisLock {}");'] as $what => $end) {
    $request = $fpm->start('
        $leases = [(new RedisLock())->lease("a", ttl: 1.8),
            (new RedisLock())->lease("b", ttl: 1.8, onLoss: fn () => print("told"))];
        echo "taken ";
        flush();
        while (!file_exists($_GET["go"])) { usleep(1000); clearstatcache(); }
        ' . $end, ['go' => "$server->folder/go"]);
    $request->expect('~taken~');
    $server->pause();
    usleep(750000); // renewals are on their way
    touch("$server->folder/go");
    $request->finish();
    $next =
        $fpm->start(
            'for ($until = microtime(true) + 0.2; microtime(true) < $until;) {} echo "not told";');
    $server->resume();
    /* Long before the end that the renewals set: the releases follow the renewals. */
    eventually("$what: its keys end", fn () => $server->keys() === [], 0.7);
    same("$what: the next request", 'not told', $next->finish()->body);
    $fpm->normal("$what, a", 'a');
    $fpm->normal("$what, b", 'b');
    unlink("$server->folder/go");
}

done();
?>
--EXPECT--
ok
