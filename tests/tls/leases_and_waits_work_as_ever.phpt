--TEST--
By TLS leases are renewed, releases wake waiters in their order, and a lock passes through many processes.
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
require __DIR__ . '/../inc/waiter.inc';

$ca = new_authority();
$tls = ['tls' => ['cafile' => $ca->file], 'timeout' => slack(1.0),
    'connectTimeout' => slack(1.0)];
$ttl = room(0.6);
foreach (['TLSv1.2', 'TLSv1.3'] as $protocol) {
    $server = start_tls_server($ca, config: ['tls-protocols' => $protocol]);
    $dsn = $server->tlsDsn();
    $lock = new RedisLock($dsn, ...$tls);

    /* The watchdog: 20 leases for three times their TTL, on one connection. */
    $leases = array_map(fn ($i) => $lock->lease("lease $i", $ttl), range(1, 20));
    $before = RedisLock::stats();
    stays_held("$protocol: leases", $server, $leases, 3 * $ttl);
    $after = RedisLock::stats();
    check("$protocol: renewals", $after['renewed'] - $before['renewed'] >= 60, $after);
    between("$protocol: handshakes", 0, 1, $after['tls_handshakes'] - $before['tls_handshakes']);
    same("$protocol: nothing is lost", 0, lost());
    foreach ($leases as $lease) {
        same("$protocol: release()", true, $lease->release());
    }

    /* A queue. */
    $token = $lock->acquire('queue', 30);
    $waiters = [];
    for ($i = 1; $i <= 3; $i++) {
        $waiters[] = waiter($dsn, 'queue', [], $tls, function (RedisLock $lock, string $token) {
            usleep(20000);
            $at = now();
            return [$at, $lock->release('queue', $token)];
        });
        queued($server, $i);
    }
    $watch = new Stopwatch();
    $released = now();
    same("$protocol: release()", true, $lock->release('queue', $token));
    foreach ($waiters as $i => $waiter) {
        $result = $waiter->result();
        woken("$protocol: waiter $i", $result);
        $watch->within("$protocol: waiter $i: seconds after the release", slack(0.1), 0,
            $result['at'] - $released);
        [$released, $freed] = $result['then'] ?? [0, null];
        same("$protocol: waiter $i: release()", true, $freed);
    }

    /* Many processes count, each under the lock. */
    file_put_contents($file = "$server->folder/count", '0');
    $pids = [];
    for ($i = 0; $i < 6; $i++) {
        $pids[] = in_fork(function () use ($dsn, $tls, $file): void {
            $lock = new RedisLock($dsn, ...$tls);
            for ($n = 0; $n < 20; $n++) {
                $lock->synchronized('count', function () use ($file): void {
                    $count = (int) file_get_contents($file);
                    usleep(500);
                    file_put_contents($file, (string) ($count + 1));
                }, 10, 20);
            }
        });
    }
    array_map(reap(...), $pids);
    same("$protocol: sections", '120', file_get_contents($file));
    same("$protocol: keys", [], $server->locks());
    $lock->close();
}

done();
?>
--EXPECT--
ok
