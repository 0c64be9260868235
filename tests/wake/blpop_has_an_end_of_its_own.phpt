--TEST--
The BLPOP of a wait blocks a second longer than the wait, and never without end.
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
foreach (['0.001' => [1.0, 1.1], '0.05' => [1.0, 1.1], '7.5' => [max(1.0, 8.5 - slack(0.5)), 8.6],
        '100' => [101.0, 102.1], 'INF' => [3601.0, 3637.1]] as $wait => [$least, $most]) {
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
