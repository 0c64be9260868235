--TEST--
A plain DSN for a TLS port causes two connections at most, a hint, and no "outcome unknown".
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

/** The call fails with the hint, at once, after so many connections at most. */
function hinted(string $what, Gateway $gateway, callable $call, int $dials = 2): void
{
    $before = $gateway->dials();
    $thrown = throws($what, 'RedisLockConnectionException', '~does this port want TLS\?~', $call,
        slack(2.0));
    check("$what: its outcome is known", !str_contains((string) $thrown?->getMessage(), 'unknown'),
        $thrown?->getMessage());
    between("$what: dials", 1, $dials, $gateway->dials() - $before);
}

$ca = new_authority();
$addresses = [tls_server(...$ca->issue('DNS:localhost'))];
if (server_has_tls()) {
    $addresses[] = 'tcp://127.0.0.1:' . start_tls_server($ca)->tlsPort;
}
foreach ($addresses as $i => $address) {
    $gateway = new Gateway($address);
    $lock = new RedisLock($gateway->dsn());
    hinted("$i: acquire()", $gateway, fn () => $lock->acquire('k'));
    hinted("$i: again", $gateway, fn () => $lock->acquire('k'));
    hinted("$i: a wait", $gateway, fn () => $lock->acquire('k', wait: 20));
    hinted("$i: with a token", $gateway, fn () => $lock->acquire('k', token: 'mine'));
    hinted("$i: lease()", $gateway, fn () => $lock->lease('k', 30, 20));
    hinted("$i: release()", $gateway, fn () => $lock->release('k', 'token'));
    hinted("$i: forceRelease()", $gateway, fn () => $lock->forceRelease('k'));
    hinted("$i: isLocked()", $gateway, fn () => $lock->isLocked('k'));
    $dsn = str_replace('://', '://user:password@', $gateway->dsn());
    hinted("$i: with a password", $gateway, fn () => (new RedisLock($dsn))->acquire('k'));
    hinted("$i: release() with a password", $gateway,
        fn () => (new RedisLock($dsn))->release('k', 'token'));

    /* A minority of several servers is done without. */
    $members = start_members(2);
    $lock = new RedisLock([...$members->dsns(), $gateway->dsn()]);
    $token = $lock->acquire('k', 30);
    check("$i: a quorum", $token !== null);
    same("$i: released", true, $lock->release('k', (string) $token));
}

/* A server that answers with an alert. */
$fake = fake_server([rule('SET', [send("\x15\x03\x01\x00\x02\x02\x46"), 'close'])]);
$thrown = throws('an alert', 'RedisLockConnectionException', '~does this port want TLS\?~',
    fn () => (new RedisLock($fake->dsn()))->acquire('k'));
check('an alert: its outcome is known', !str_contains((string) $thrown?->getMessage(), 'unknown'));
same('an alert: connections', 1, $fake->connections());

/* A server that takes the command and closes without a word may have carried it out. */
$server = start_server();
$fake = fake_server([rule('SET', ['forward', 'close']), rule('EVALSHA', ['forward', 'close'])],
    $server);
throws('a lost answer', 'RedisLockConnectionException', '~outcome unknown~',
    fn () => (new RedisLock($fake->dsn()))->acquire('k'));
same('it was carried out', ['0:k'], $server->keys());

done();
?>
--EXPECT--
ok
