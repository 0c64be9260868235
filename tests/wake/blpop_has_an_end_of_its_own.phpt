--TEST--
The BLPOP of a wait blocks hardly longer than the wait, and never for ever.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$monitor = $server->monitor();
foreach (['0.001' => [0.001, 0.1], '0.05' => [0.02, 0.1], '7.5' => [7.0, 7.6], '100' => [100.0, 101.1], 'INF' => [3600.0, 3636.1]] as $wait => [$least, $most]) {
    $wait = $wait === 'INF' ? INF : (float) $wait;
    $token = hold($server, 'k');
    $waiter = waiter($server->dsn(), 'k', ['wait' => $wait]);
    if ($wait > 1) {
        queued($server, 1);
        same('release()', true, $lock->release('k', $token));
    }
    same("wait of $wait", $wait > 1, $waiter->result()['token'] !== null);
    foreach ($monitor->named('BLPOP') as $command) {
        same('the ticket', ['BLPOP', 'k::rl-wake'], array_slice($command['args'], 0, 2));
        between("BLPOP of a wait of $wait", $least, $most, (float) $command['args'][2]);
    }
}

done();
?>
--EXPECT--
ok
