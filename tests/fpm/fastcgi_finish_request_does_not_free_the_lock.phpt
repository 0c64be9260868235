--TEST--
After fastcgi_finish_request() a lease is held until the script is really over.
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
$worker = $fpm->normal('first');
foreach (['return' => '', 'exit' => 'exit;', 'a fatal error' => 'eval("class RedisLock {}");']
        as $what => $code) {
    $request = $fpm->run('
        $lock = new RedisLock();
        $lease = $lock->lease("k");
        echo json_encode($lease->isHeld());
        fastcgi_finish_request();
        while (!file_exists($_GET["go"])) { usleep(1000); clearstatcache(); }
        $ignored = $lock->acquire("was held", 30, 0,
            $lease->isHeld() && $lease->verify() ? "yes" : "no");
        ' . $code, ['go' => "$server->folder/go"]);
    same("$what: the answer", 'true', $request->body);
    check("$what: the client has all of it", $request->endedAt !== null);
    usleep(50000);
    same("$what: the keys meanwhile", ['0:k'], $server->keys());
    touch("$server->folder/go");
    eventually("$what: keys", fn () => $server->keys() === ['0:was held']);
    same("$what: it was held to the end", 'yes', $server->cmd('GET', 'was held'));
    $server->cmd('DEL', 'was held');
    unlink("$server->folder/go");
    $fpm->normal($what, 'k', $worker);
}

done();
?>
--EXPECT--
ok
