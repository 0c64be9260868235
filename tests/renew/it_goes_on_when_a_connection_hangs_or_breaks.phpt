--TEST--
Renewal continues when a connection hangs, is not accepted, or is closed at a bad moment, because it makes another one in time.
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
/* The faults of the watchdog's first connection. The other connection has the lock by then. */
$troubles = [
    'the renewal is not answered' => [rule('EVALSHA', ['hang'], times: 1)],
    'the renewal is carried out and not answered' =>
        [rule('EVALSHA', ['forward', 'hang'], times: 1)],
    'closed before the renewal' => [rule('EVALSHA', ['close'], times: 2)],
    'closed behind the renewal' => [rule('EVALSHA', ['forward', 'close'], times: 2)],
    'half an answer' => [rule('EVALSHA', ['forward', send(':'), 'hang'], times: 1)],
    'nonsense' => [rule('EVALSHA', [send("what?\r\n")], times: 1)],
    'an answer of the wrong kind' => [rule('EVALSHA', [send("+OK\r\n")], times: 1)],
    'SELECT is not answered' => [rule('SELECT', ['hang'], times: 1)],
    'SELECT is refused' =>
        [rule('SELECT', [send("-ERR max number of clients reached\r\n"), 'close'], times: 1)],
    'closed at once' => [rule('(connect)', ['close'], times: 2)],
];
$ttl = room(1.2);
$fakes = $leases = [];
foreach ($troubles as $what => $rules) {
    $fakes[$what] = fake_server([], $server, true);
    $leases[$what] = (new RedisLock($fakes[$what]->dsn('?db=1')))->lease($what, $ttl);
    $fakes[$what]->rules($rules);
}
$client = $server->newClient(1);
for ($until = now() + 2.1 * $ttl; now() < $until; usleep(10000)) {
    foreach ($leases as $what => $lease) {
        if (!$lease->isHeld() || $client->cmd('GET', $what) !== $lease->token()) {
            check("$what: it stays held", false, [$lease->isHeld(), $client->cmd('GET', $what)]);
            break 2;
        }
    }
}
same('lost', 0, lost());
foreach ($leases as $what => $lease) {
    check("$what: another connection was made", $fakes[$what]->connections() >= 3
        || str_contains($what, 'wrong kind'), $fakes[$what]->connections());
    between("$what: renewals", 3, 30, count($fakes[$what]->commands('EVALSHA', 'EVAL')));
    same("$what: release()", true, $lease->release());
}

done();
?>
--EXPECT--
ok
