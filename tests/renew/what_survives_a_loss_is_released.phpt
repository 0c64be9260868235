--TEST--
If a renewal without an answer has made the key last longer, the key is released as soon as the lease is lost and the server answers.
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

$server = start_server();
$fake = fake_server([], $server, true);
$lock = new RedisLock($fake->dsn(), timeout: room(1.0));
$unanswered = [rule('EVALSHA', ['forward', 'hang']), rule('EVAL', ['forward', 'hang'])];
$ttl = room(0.9);
foreach (['lost', 'an own token'] as $what) {
    $fake->rules([]);
    $token = $what === 'lost' ? null : 'a job';
    $lease = $lock->lease('k', $ttl, token: $token);
    renewals_go_on("$what: at first");
    $before = count($fake->commands('EVALSHA', 'EVAL'));
    $fake->rules($unanswered);
    eventually("$what: a renewal is sent",
        fn () => count($fake->commands('EVALSHA', 'EVAL')) > $before);
    /* The server has prolonged it: without the release it would live for some time. */
    $server->cmd('PEXPIRE', 'k', 60000);
    until_lost($what, $lease, 2.5 * $ttl);
    same("$what: it survives at the server", $lease->token(), $server->cmd('GET', 'k'));
    $fake->rules([]);
    if ($token === null) {
        eventually("$what: it is released", fn () => $server->cmd('EXISTS', 'k') === 0, 2.0);
    } else { // another holder may have it with the same token
        usleep(500000);
        same("$what: it is left alone", 'a job', $server->cmd('GET', 'k'));
    }
    same("$what: isHeld()", false, $lease->isHeld());
}

done();
?>
--EXPECT--
ok
