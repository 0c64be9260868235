--TEST--
A server is reached by TLS 1.2 and 1.3, with a CA from a file or a folder, by name and by address, and with a client certificate beside user, password and database.
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
$middle = new_authority('middle CA', $ca);
$foreign = new_authority('foreign CA');
$patience = ['timeout' => slack(1.0), 'connectTimeout' => slack(1.0)];

/** Takes and frees the lock in this database; each lock makes one handshake. */
function works(string $what, TestServer $server, RedisLock $lock, int $database = 0): void
{
    $before = RedisLock::stats();
    try {
        $token = $lock->acquire($what, 30);
        same("$what: keys", ["$database:$what"], $server->keys());
        same("$what: release()", true, $lock->release($what, (string) $token));
    } catch (Throwable $thrown) {
        check("$what: works", false, $thrown);
    }
    $after = RedisLock::stats();
    same("$what: connects", 1, $after['connects'] - $before['connects']);
    same("$what: handshakes", 1, $after['tls_handshakes'] - $before['tls_handshakes']);
    $lock->close();
}

/* Versions, and ways to trust. */
foreach (['TLSv1.2' => '1.2', 'TLSv1.3' => '1.3'] as $protocol => $version) {
    $server = start_tls_server($ca, config: ['tls-protocols' => $protocol]);
    $dsn = $server->tlsDsn();
    foreach (['a file' => "ssl[cafile]=$ca->file",
        'a folder' => 'ssl[capath]=' . $ca->hashedFolder(),
        'both' => "ssl[cafile]=$foreign->file&ssl[capath]=" . $ca->hashedFolder(),
        'the version' => "ssl[cafile]=$ca->file&ssl[min_version]=$version",
        'no verification' => 'ssl[verify_peer]=0&ssl[verify_peer_name]=0',
        'the name alone' => 'ssl[verify_peer]=off'] as $what => $options) {
        works("$protocol, $what", $server, new RedisLock("$dsn?$options", ...$patience));
    }
    works("$protocol, scheme valkeys", $server,
        new RedisLock(str_replace('rediss', 'valkeys', $dsn), ...$patience,
            tls: ['cafile' => $ca->file]));
    works("$protocol, scheme tls", $server,
        new RedisLock(str_replace('rediss', 'TLS', $dsn), ...$patience,
            tls: ['cafile' => $ca->file]));
}
$ciphers = 'ECDHE-ECDSA-AES256-GCM-SHA384';
$server = start_tls_server($ca, config: ['tls-protocols' => 'TLSv1.2', 'tls-ciphers' => $ciphers]);
works('ciphers', $server, new RedisLock($server->tlsDsn(),
    ...$patience, tls: ['cafile' => $ca->file, 'ciphers' => $ciphers]));
$server = start_server(tls_settings($ca->file, ...$middle->issue('IP:127.0.0.1')));
works('a chain', $server, new RedisLock($server->tlsDsn(), ...$patience,
    tls: ['cafile' => $ca->file]));

/* Names. */
$server = start_tls_server($ca, 'DNS:*.cache.test');
foreach (['a.cache.test', 'A.Cache.TEST', 'a.cache.test.'] as $name) {
    works("peer_name $name", $server, new RedisLock($server->tlsDsn(),
        ...$patience,
            tls: ['cafile' => $ca->file, 'peer_name' => $name, 'SNI_enabled' => $name[0] === 'a']));
}
works('verify_peer_name off', $server, new RedisLock($server->tlsDsn(),
    ...$patience, tls: ['cafile' => $ca->file, 'verify_peer_name' => false]));
$server = start_server(tls_settings($ca->file, ...$ca->issue(name: 'cache.test')));
works('the common name where there is no other', $server, new RedisLock($server->tlsDsn(),
    ...$patience, tls: ['cafile' => $ca->file, 'peer_name' => 'cache.test']));
$server = start_tls_server($ca, 'DNS:' . loopback_name() . ',IP:127.0.0.1');
works('by name', $server, new RedisLock(
    'rediss://' . loopback_name() . ":$server->tlsPort", ...$patience,
        tls: ['cafile' => $ca->file]));

/* The DSN's options come before the argument's, which are for each server with TLS. */
$second = start_tls_server($foreign, 'DNS:other.test');
$dsns = [$server->tlsDsn("?ssl[cafile]=$ca->file&ssl[peer_name]=127.0.0.1"), $second->tlsDsn()];
foreach ([$dsns, array_reverse($dsns)] as $i => $list) {
    $lock = new RedisLock($list, ...$patience,
        tls: ['cafile' => $foreign->file, 'peer_name' => 'other.test']);
    $token = $lock->acquire("both $i");
    same("both $i: keys", [["0:both $i"], ["0:both $i"]], [$server->keys(), $second->keys()]);
    same("both $i: release()", true, $lock->release("both $i", (string) $token));
    eventually("both $i: no key", fn () => [...$server->keys(), ...$second->keys()] === []);
}
throws('the wrong CA in the DSN', 'RedisLockConnectionException', '~not accepted~',
    fn () => (new RedisLock($server->tlsDsn("?ssl[cafile]=$foreign->file"),
        ...$patience, tls: ['cafile' => $ca->file]))->acquire('k'));
/* Types that mean the same. */
foreach ([true, 1, '1', 'true', 'on', 'yes'] as $on) {
    works('on: ' . show($on), $server,
        new RedisLock($server->tlsDsn(), ...$patience,
            tls: ['cafile' => $ca->file, 'verify_peer' => $on]));
}
foreach ([false, 0, '0', 'false', 'off', 'no'] as $off) {
    works('off: ' . show($off), $server,
        new RedisLock($server->tlsDsn(), ...$patience, tls: ['verify_peer' => $off]));
}

/* A client certificate, with all else that a DSN may have. */
foreach (['TLSv1.2', 'TLSv1.3'] as $protocol) {
    $strict = start_tls_server($ca, config: ['tls-auth-clients' => 'yes',
        'tls-protocols' => $protocol]);
    $strict->cmd('ACL', 'SETUSER', 'shop', 'on', '>p@ss', '~*', '+@all');
    [$certificate, $key] = $middle->issue(name: 'web-3');
    [$certificate2, $key2] = $ca->issue(name: 'web-4', passphrase: 'S3CRET&word');
    file_put_contents($one = dirname($key) . '/one.pem',
        file_get_contents($certificate) . file_get_contents($key));
    foreach (['two files' => ['local_cert' => $certificate, 'local_pk' => $key],
        'one file' => ['local_cert' => $one],
        'an encrypted key' => ['local_cert' => $certificate2, 'local_pk' => $key2,
            'passphrase' => 'S3CRET&word']] as $what => $options) {
        $options['cafile'] = $ca->file;
        works("$protocol, $what", $strict,
            new RedisLock($strict->tlsDsn('/3', 'shop:p%40ss'), ...$patience, tls: $options), 3);
        works("$protocol, $what, in the DSN", $strict, new RedisLock(
            $strict->tlsDsn('?db=3&' . http_build_query(['ssl' => $options]), 'shop:p%40ss')), 3);
    }
    throws("$protocol, a wrong password", 'RedisLockServerException', '~WRONGPASS~',
        fn () => (new RedisLock($strict->tlsDsn('/3', 'shop:x'), ...$patience,
            tls: $options))->acquire('k'));
}

done();
?>
--EXPECT--
ok
