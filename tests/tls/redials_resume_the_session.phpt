--TEST--
Of 100 connections to one server at least 95 resume the session of an earlier one, each thread and each server for itself.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_tls();
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';

/** How many handshakes $call makes, and how many of them resume a session. */
function handshakes(callable $call): array
{
    $before = RedisLock::stats();
    $call();
    $after = RedisLock::stats();
    return array_map(fn ($name) => $after[$name] - $before[$name],
        ['tls_handshakes', 'tls_resumed']);
}

$ca = new_authority();
$patience = ['timeout' => slack(1.0), 'connectTimeout' => slack(1.0)];
foreach (['TLSv1.2', 'TLSv1.3'] as $protocol) {
    $config = ['tls-protocols' => $protocol];
    [$one, $other] = [start_tls_server($ca, config: $config),
        start_tls_server($ca, config: $config)];
    $lock = new RedisLock($one->tlsDsn(), ...$patience, tls: ['cafile' => $ca->file]);
    $redial = function (RedisLock $lock): void {
        $lock->isLocked('k');
        $lock->close();
    };
    same("$protocol: the first one", [1, 0], handshakes(fn () => $redial($lock)));
    [$count, $resumed] = handshakes(function () use ($redial, $lock): void {
        for ($i = 0; $i < 100; $i++) {
            $redial($lock);
        }
    });
    same("$protocol: handshakes", 100, $count);
    between("$protocol: resumed", 95, 100, $resumed);

    /* Two servers do not use each other's sessions. */
    $both = [$lock, new RedisLock($other->tlsDsn(), ...$patience, tls: ['cafile' => $ca->file])];
    same("$protocol: another server", [1, 0], handshakes(fn () => $redial($both[1])));
    [$count, $resumed] = handshakes(function () use ($redial, $both): void {
        for ($i = 0; $i < 20; $i++) {
            $redial($both[$i % 2]);
        }
    });
    between("$protocol: two in turn", 19, 20, $resumed);

    /* Another object with other options has no session, as its trust may be another. */
    $strict = new RedisLock($one->tlsDsn(), ...$patience, tls: ['cafile' => $ca->file,
        'ciphers' => 'HIGH']);
    same("$protocol: other options", [1, 0], handshakes(fn () => $redial($strict)));

    /* A server that was started anew makes a new session. */
    $one->restart();
    same("$protocol: a restart", [1, 0], handshakes(fn () => $redial($lock)));
    same("$protocol: after it", [1, 1], handshakes(fn () => $redial($lock)));

    /* A broken connection does not spoil the session. */
    $lock->isLocked('k');
    foreach ($one->client()->clients() as $client) {
        $one->cmd('CLIENT', 'KILL', 'ID', $client['id']);
    }
    same("$protocol: a connection that was killed", [1, 1], handshakes(fn () => $redial($lock)));
}

/* Members of a Redlock. Each server's first session is made before the count begins. A member that
 * is closed before its next ticket has come may have none for the next handshake. */
$servers = [start_tls_server($ca), start_tls_server($ca), start_tls_server($ca)];
$lock = new RedisLock(array_map(fn ($server) => $server->tlsDsn(), $servers),
    ...$patience, tls: ['cafile' => $ca->file]);
foreach ($servers as $server) {
    $redial(new RedisLock($server->tlsDsn(), ...$patience, tls: ['cafile' => $ca->file]));
}
[$count, $resumed] = handshakes(function () use ($lock): void {
    for ($i = 0; $i < 30; $i++) {
        $lock->release('k', (string) $lock->acquire('k'));
        $lock->close();
    }
});
between('members: resumed', 0.75 * $count, $count, $resumed);

done();
?>
--EXPECT--
ok
