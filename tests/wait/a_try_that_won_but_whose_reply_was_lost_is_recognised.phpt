--TEST--
A try that took the lock but whose reply was lost is recognised when it is sent again.
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
/* A try follows after an error that may pass, and after each delay of a wait that polls. */
$loading = "-LOADING Redis is loading the dataset in memory\r\n";
foreach (['after an error' => [true, $loading], 'polls' => [false, "$-1\r\n"]]
        as $what => [$wakes, $answer]) {
    $lock = new RedisLock($fake->dsn(), timeout: slack(1.0), retryDelay: 0.05,
        wake: $wakes);
    $fake->rules([]);
    $server->cmd('SET', 'k', 'somebody', 'PX', 60000);
    learn_scripts($lock, 'k');

    $rules = [rule('SET', [send($answer)], times: 1),
        rule('EVALSHA', ['forward', 'close'], times: 1)];
    $fake->rules($rules);
    $server->cmd('DEL', 'k');
    [$tries, $sent] = [RedisLock::stats()['tries'], count($fake->commands('EVALSHA'))];
    $token = $lock->acquire('k', 20, 20);
    matches("$what: token", TOKEN, (string) $token);
    same("$what: SET and a try", 2, RedisLock::stats()['tries'] - $tries);
    same("$what: the try was sent twice", 2, count($fake->commands('EVALSHA')) - $sent);
    same("$what: value", $token, $server->cmd('GET', 'k'));
    same("$what: release()", true, $lock->release('k', (string) $token));
    $lock->close(); // a connection that met NOSCRIPT sends each script as text the first time
    eventually("$what: no lock is left", fn () => $server->locks() === [], 0.5);

    /* The same holds for a caller's own token: the try has another. */
    $fake->rules($rules);
    same("$what: an own token", 'mine', $lock->acquire('k', 20, 20, 'mine'));
    same("$what: its value", 'mine', $server->cmd('GET', 'k'));
}

done();
?>
--EXPECT--
ok
