--TEST--
A wait goes on when its connection is cut, before or after a try was run.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
foreach ([['close'], ['forward', 'close']] as $lost) {
    foreach (['SET', 'EVALSHA'] as $command) {
        $fake = fake_server([], $server);
        $lock = new RedisLock($fake->dsn(), timeout: slack(1.0), retryDelay: 0.02,
            retryMaxDelay: 0.05);
        $server->cmd('SET', 'k', 'somebody', 'PX', 60000);
        same('a wait in vain', null, $lock->acquire('k', wait: 0.01));
        $server->cmd('SET', 'k', 'somebody', 'PX', (int) (1000 * room(0.2)));
        $fake->rules([rule($command, $lost, times: 2, skip: $command === 'SET' ? 0 : 2)]);
        $token = $lock->acquire('k', 20, 20);
        matches('token', TOKEN, (string) $token);
        same('value', $token, $server->cmd('GET', 'k'));
        same('release()', true, $lock->release('k', (string) $token));
        eventually('no lock is left', fn () => $server->locks() === [], 0.5);
        $fake->stop();
    }
}

done();
?>
--EXPECT--
ok
