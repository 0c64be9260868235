--TEST--
A restart of the server is not noticed, and a server that stood still runs the undo of a lock whose grant was never read.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_tls();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';
require __DIR__ . '/../inc/renew.inc';

$ca = new_authority();
$timeout = round(room(0.2), 2);
$ttl = round(room(1.5), 3);
foreach (['TLSv1.2', 'TLSv1.3'] as $protocol) {
    $server = start_tls_server($ca, config: ['tls-protocols' => $protocol]);
    $options = ['timeout' => $timeout, 'connectTimeout' => $timeout,
        'tls' => ['cafile' => $ca->file]];
    $lock = new RedisLock($server->tlsDsn(), ...$options);

    /* A restart between two calls: a new connection, a new session. */
    same("$protocol: before", false, $lock->isLocked('k'));
    foreach ([0, 150000] as $pause) {
        $before = RedisLock::stats();
        $server->restart();
        usleep($pause);
        matches("$protocol: acquire()", TOKEN, $token = (string) $lock->acquire('k', 60));
        same("$protocol: release()", true, $lock->release('k', $token));
        $after = RedisLock::stats();
        foreach (['reconnects', 'tls_handshakes'] as $name) {
            same("$protocol: $name", 1, $after[$name] - $before[$name]);
        }
    }

    /* A server that stands still while the SET and its undo travel. */
    foreach (['k', str_repeat('k', 60000)] as $key) {
        $lock->isLocked('warm');
        $server->pause();
        $what = "$protocol: a key of " . strlen($key) . ' bytes';
        throws($what, 'RedisLockConnectionException', "~no answer within $timeout s.*undo~",
            fn () => $lock->acquire($key, 60), 0.5);
        $server->resume();
        usleep(100000);
        eventually("$what: undone", fn () => $server->keys() === []);
        same("$what: taken again", true, $lock->release($key, (string) $lock->acquire($key)));
    }

    /* A server that stands still from the beginning has been sent no command. */
    $lock->close();
    $server->pause();
    $thrown = throws("$protocol: cold", 'RedisLockConnectionException',
        '~no connection within~',
        fn () => $lock->acquire('k', 60, token: 'mine'), 0.5);
    check("$protocol: cold: known", !str_contains((string) $thrown?->getMessage(), 'unknown'),
        $thrown);
    check("$protocol: cold: no hint, since the port has spoken TLS before",
        !str_contains((string) $thrown?->getMessage(), 'redis://)'), $thrown);
    $server->resume();
    usleep(100000);
    same("$protocol: cold: keys", [], $server->keys());

    /* A script that ends while a lock is undone leaves none either. */
    $server->pause();
    $server->resume();
    $child = start_and_stop_at('$lock = new RedisLock($argv[1], timeout: (float) $argv[3],
        tls: ["cafile" => $argv[2]]); $lock->isLocked("k");',
        'try { $token = $lock->acquire("end", 60); }
        catch (RedisLockConnectionException) { echo "no answer"; }',
        [$server->tlsDsn(), $ca->file, $timeout]);
    $server->pause();
    $child->tell('');
    matches("$protocol: a script's end", '~no answer~', $child->output());
    $server->resume();
    usleep(100000);
    eventually("$protocol: a script's end: no key", fn () => $server->keys() === []);

    /* A lease outlives connections that are killed, and a restart that keeps the data. */
    $lease = $lock->lease('lease', $ttl);
    foreach ($server->client()->clients() as $client) {
        $server->cmd('CLIENT', 'KILL', 'ID', $client['id']);
    }
    renewals_go_on("$protocol: a killed connection");
    $token = $lease->token();
    $server->restart();
    $server->cmd('SET', 'lease', $token, 'PX', (int) (1000 * $ttl));
    renewals_go_on("$protocol: a restart");
    same("$protocol: held", true, $lease->verify());
    same("$protocol: release()", true, $lease->release());
    $lock->close();
}

done();
?>
--EXPECT--
ok
