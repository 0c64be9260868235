--TEST--
Renewal continues through errors of the server (rights, users, LOADING, BUSY and others) as long as ownership is proven.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

require __DIR__ . '/../inc/fake_server.inc';

/* Rights that are taken away, and a user that is switched off, both for a while. */
$server = start_server();
$server->cmd('ACL', 'SETUSER', 'u', 'on', '>secret', '~*', '&*', '+@all');
$unit = room(1.0);
$lease = (new RedisLock($server->dsn('', 'u:secret'), timeout: $unit))->lease('k', 0.9 * $unit);
renewals_go_on('at first');
$server->cmd('ACL', 'SETUSER', 'u', '-eval', '-evalsha');
usleep((int) (350000 * $unit));
$server->cmd('ACL', 'SETUSER', 'u', '+eval', '+evalsha');
renewals_go_on('after NOPERM', 2);
$server->cmd('ACL', 'SETUSER', 'u', 'off');
$server->cmd('CLIENT', 'KILL', 'USER', 'u');
usleep((int) (350000 * $unit));
same('held meanwhile', true, $lease->isHeld());
$server->cmd('ACL', 'SETUSER', 'u', 'on');
renewals_go_on('after WRONGPASS', 2);
$server->cmd('CLIENT', 'PAUSE', (int) (350 * $unit));
renewals_go_on('after CLIENT PAUSE');
same('held', [true, $lease->token()], [$lease->isHeld(), $server->cmd('GET', 'k')]);
same('release()', true, $lease->release());

/* Three errors in a row before each renewal. */
$fake = fake_server([], $server, true);
$lease = (new RedisLock($fake->dsn(), timeout: $unit))->lease('k', 0.8 * $unit);
$errors = ['LOADING Redis is loading the dataset in memory', 'BUSY Redis is busy running a script',
    'READONLY You can\'t write against a read only replica.',
    'MASTERDOWN Link with MASTER is down', 'OOM command not allowed', 'ERR something else'];
foreach (array_chunk($errors, 3) as $n => $three) {
    renewals_go_on("before errors $n");
    $before = count($fake->commands('EVALSHA', 'EVAL'));
    $fake->rules(array_map(fn ($error) => rule('EVALSHA', [send("-$error\r\n")], times: 1),
        $three));
    renewals_go_on("after errors $n");
    check("errors $n came", count($fake->commands('EVALSHA', 'EVAL')) >= $before + 4);
    same("held after errors $n", [true, $lease->token()],
        [$lease->isHeld(), $server->cmd('GET', 'k')]);
}
same('lost', 0, lost());

done();
?>
--EXPECT--
ok
