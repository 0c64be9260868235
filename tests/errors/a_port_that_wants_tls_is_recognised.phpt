--TEST--
A plain DSN for a TLS port causes a hint, and no connection that is no attempt to lock.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_server();
skip_without_openssl();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';
require __DIR__ . '/../inc/fake_server.inc';
require __DIR__ . '/../inc/members.inc';

/** The call fails with the hint. Whether a command has run is unknown: the server said nothing. */
function hinted(string $what, callable $call): void
{
    throws($what, 'RedisLockConnectionException',
        '~\(if this port speaks TLS, use rediss:// in the DSN\)~', $call, slack(3.0));
}

$ca = new_authority();
$addresses = [tls_server(...$ca->issue('DNS:localhost'))];
if (server_has_tls()) {
    $addresses[] = 'tcp://127.0.0.1:' . start_tls_server($ca)->tlsPort;
}
[$timeout, $wait] = [room(0.2), room(0.5)];
foreach ($addresses as $i => $address) {
    $gateway = new Gateway($address);
    $dsn = $gateway->dsn() . "?timeout=$timeout";
    $lock = new RedisLock($dsn);
    hinted("$i: acquire()", fn () => $lock->acquire('k'));
    hinted("$i: again", fn () => $lock->acquire('k'));
    hinted("$i: a wait", fn () => $lock->acquire('k', wait: $wait));
    hinted("$i: with a token", fn () => $lock->acquire('k', token: 'mine'));
    hinted("$i: lease()", fn () => $lock->lease('k', 30, $wait));
    hinted("$i: release()", fn () => $lock->release('k', 'token'));
    hinted("$i: forceRelease()", fn () => $lock->forceRelease('k'));
    hinted("$i: isLocked()", fn () => $lock->isLocked('k'));
    $dsn = str_replace('://', '://user:password@', $dsn);
    hinted("$i: with a password", fn () => (new RedisLock($dsn))->acquire('k'));
    hinted("$i: release() with a password", fn () => (new RedisLock($dsn))->release('k', 'token'));

    /* A minority of several servers is done without. */
    $members = start_members(2);
    $lock = new RedisLock([...$members->dsns(), $gateway->dsn()], timeout: room(1.0),
        connectTimeout: room(1.0));
    $token = $lock->acquire('k', 30);
    check("$i: a quorum", $token !== null);
    same("$i: released", true, $lock->release('k', (string) $token));
}

/* A server that answers with an alert. */
$fake = fake_server([rule('SET', [send("\x15\x03\x01\x00\x02\x02\x46"), 'close'])]);
$thrown = throws('an alert', 'RedisLockConnectionException', '~does this port want TLS\?~',
    fn () => (new RedisLock($fake->dsn(), timeout: slack(1.0)))->acquire('k'));
check('an alert: its outcome is known', !str_contains((string) $thrown?->getMessage(), 'unknown'));
same('an alert: connections', 1, $fake->connections());

/* A port that closes each connection gets commands and nothing else. */
$fake = fake_server([rule('SET', ['close']), rule('EVALSHA', ['close']), rule('EVAL', ['close'])]);
$lock = new RedisLock($fake->dsn() . "?timeout=$timeout");
hinted('a port that closes', fn () => $lock->acquire('k'));
same('one command on each connection', $fake->connections(), count($fake->commands()));

/* A server that takes the command and closes without a word may have carried it out. */
$server = start_server();
$fake = fake_server([rule('SET', ['forward', 'close']), rule('EVALSHA', ['forward', 'close'])],
    $server);
throws('a lost answer', 'RedisLockConnectionException', '~outcome unknown~',
    fn () => (new RedisLock($fake->dsn(), timeout: slack(1.0)))->acquire('k'));
same('it was carried out', ['0:k'], $server->keys());

done();
?>
--EXPECT--
ok
