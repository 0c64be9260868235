--TEST--
Under FPM a worker keeps its connection from one request to the next.
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

$server = start_server(tcp: true);
$fpm = start_fpm($server);
$request = '
    foreach ([null, $_GET["tcp"]] as $servers) {
        $lock = new RedisLock($servers);
        $lease = $lock->lease("a");
        $other = $lock->lease("b");
        $lock->release("c", $lock->acquire("c"));
        $lease->release();
        unset($other);
    }
    echo json_encode([getmypid(), RedisLock::stats()["connects"]]);
    $left = $lock->lease("a");
    ' ;
$worker = null;
/* The end of a request does not wait long for an answer, and then ends the connection. */
undisturbed(0.1, function () use ($server, $fpm, $request, &$worker): void {
    $server->cmd('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    $before = $server->connectionsReceived();
    $first = $fpm->run($request, ['tcp' => $server->tcpDsn()])->body;
    [$worker] = json_decode($first);
    Stall::watch($worker);
    for ($i = 0; $i < 50; $i++) {
        same("request $i", $first,
            $fpm->run($request . ($i % 5 ? '' : 'throw new Exception;'),
                ['tcp' => $server->tcpDsn()])->body);
    }
    same('connections', 2, $server->connectionsReceived() - $before);
    same('clients', 2, count($server->client()->clients()));
});

/* A connection that the server has closed meanwhile is replaced without a word. A connection that
 * is not persistent ends with its request. */
$server->cmd('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
$fpm->normal('after a broken connection', 'k', $worker);
same('one of its own', '',
    $fpm->run('$lease = (new RedisLock(persistent: false))->lease("k");')->errors);
$fpm->normal('after it', 'k', $worker);
same('clients in the end', 1, count($server->client()->clients()));

done();
?>
--EXPECT--
ok
