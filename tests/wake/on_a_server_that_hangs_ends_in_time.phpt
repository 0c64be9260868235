--TEST--
When the server hangs, a wait in the queue ends in an exception, no later than one timeout after its deadline.
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
$wait = $timeout = room(0.4);
foreach ([null, 'mine'] as $own) {
    foreach ([0.25, 0.85] as $share) {
        $token = hold($server, 'k');
        $waiter = waiter($server->dsn(), 'k', ['wait' => $wait, 'token' => $own],
            ['timeout' => $timeout]);
        queued($server, 1);
        usleep((int) ($share * $wait * 1e6));
        $server->pause();
        $result = $waiter->result();
        $server->resume();
        matches('exception', '~RedisLockConnectionException~', (string) $result['error']);
        between('own token: ' . ($own ?? 'none'), $wait, $wait + $timeout + slack(0.25),
            $result['took']);
        same('the holder has it still', $token, $server->cmd('GET', 'k'));
        $server->cmd('DEL', 'k');
        usleep(50000);
        same('no lock is left', [], $server->locks());
    }
}

done();
?>
--EXPECT--
ok
