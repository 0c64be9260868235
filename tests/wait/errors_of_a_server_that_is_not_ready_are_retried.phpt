--TEST--
While a wait lasts, errors that may pass are tried again.
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
$fake = fake_server([], $server);
$errors = ['LOADING Redis is loading the dataset in memory',
    "READONLY You can't write against a read only replica.",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'NOREPLICAS Not enough good replicas to write.',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to',
    'CLUSTERDOWN The cluster is down', 'BUSY Redis is busy running a script.',
    'UNBLOCKED force unblock from blocking operation'];
foreach ($errors as $error) {
    $code = strtok($error, ' ');
    $lock = new RedisLock($fake->dsn(), timeout: slack(1.0), retryDelay: 0.001,
        retryMaxDelay: 0.01);
    $fake->rules([rule('SET', [send("-$error\r\n")]),
        rule('EVALSHA', [send("-$error\r\n")], times: 3)]);
    $token = $lock->acquire('k', 20, 20);
    matches("$code: token", TOKEN, (string) $token);
    same("$code: value", $token, $server->cmd('GET', 'k'));
    same("$code: release()", true, $lock->release('k', (string) $token));

    $fake->rules([rule('SET', [send("-$error\r\n")])]);
    $thrown = throws("$code without a wait", 'RedisLockServerException', "~$code~",
        fn () => $lock->acquire('k'));
    same("$code: code", $code, $thrown?->getErrorCode());
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
