--TEST--
A cold acquire() takes one round trip more by TLS 1.3 than without TLS; login and SET travel with the end of the handshake.
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

$ca = new_authority();
foreach (['TLSv1.2' => [3, 2], 'TLSv1.3' => [2, 2]] as $protocol => [$full, $resumed]) {
    $server = start_tls_server($ca, config: ['tls-protocols' => $protocol], tcp: true);
    $server->cmd('ACL', 'SETUSER', 'shop', 'on', '>pw', '~*', '+@all');
    $plain = new Gateway("tcp://127.0.0.1:$server->port");
    $gateway = new Gateway("tcp://127.0.0.1:$server->tlsPort");
    foreach ([['without TLS', $plain, 'redis', 1, []],
        ['a full handshake', $gateway, 'rediss', $full, ['cafile' => $ca->file]],
        ['a resumed one', $gateway, 'rediss', $resumed, ['cafile' => $ca->file]],
        ['once more', $gateway, 'rediss', $resumed, ['cafile' => $ca->file]],
    ] as [$what, $way, $scheme, $turns, $tls]) {
        $lock = new RedisLock("$scheme://shop:pw@127.0.0.1:$way->port/3", timeout: slack(1.0),
            connectTimeout: slack(1.0), tls: $tls);
        $before = $way->turns();
        $token = $lock->acquire('k');
        same("$protocol, $what: round trips", $turns, $way->turns() - $before);
        $lock->release('k', (string) $token);
        $lock->release('k', (string) $token); // the script is known now
        $before = $way->turns();
        $token = $lock->acquire('k');
        same("$protocol, $what: one more when it is warm", 1, $way->turns() - $before);
        $server->cmd('FLUSHALL');
        $lock->close();
    }
}
same('resumed', 4, RedisLock::stats()['tls_resumed']);

done();
?>
--EXPECT--
ok
