--TEST--
Every certificate, name, version, port, file and option that does not fit causes one exception, at once, that names the remedy.
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

const C = 'RedisLockConnectionException';

$folder = removed_folder();
$ca = new_authority();
$foreign = new_authority('foreign CA');
$middle = new_authority('middle CA', $ca);
$ok = $ca->issue('IP:127.0.0.1');
$encrypted = $ca->issue(passphrase: 'S3CRET');
file_put_contents("$folder/text", "no certificate\n");
exec('openssl genrsa -out ' . escapeshellarg("$folder/rsa.key") . ' 2048 2>&1');

/* A server with this certificate. */
$server = fn (array $pair, array $config = []): TestServer =>
    start_server($config + tls_settings($ca->file, ...$pair));
/* Of the TLS options; the CA is trusted unless they say otherwise. */
$query = fn (array $options): string =>
    '?' . http_build_query(['ssl' => array_filter($options + ['cafile' => $ca->file])]);
$at = fn (string $address): string => 'rediss' . substr($address, 3);

$good = $server($ca->issue('IP:127.0.0.1,DNS:*.cache.test,DNS:part*.cache.test'));
$old = $server($ok, ['tls-protocols' => 'TLSv1.2',
    'tls-ciphers' => 'ECDHE-ECDSA-AES256-GCM-SHA384']);
$asks['1.3'] = $server($ok, ['tls-auth-clients' => 'yes']);
$asks['1.2'] = $server($ok, ['tls-auth-clients' => 'yes', 'tls-protocols' => 'TLSv1.2']);
$plain = start_server(tcp: true);

/* Rows: what => [message, server or DSN, TLS options of the DSN, class, whether a wait ends at
 * once]. */
$name = '~is for .*not for.*ssl\[peer_name\]~';
$trust = '~not accepted.*its CA in ssl\[cafile\] or ssl\[capath\]~';
$date = '~not accepted.*clock of this machine~';
$client = '~refuses the client certificate.*ssl\[local_cert\]~';
$no_tls = '~without TLS \(redis://\)~';
$tables['a call'] = [
    /* names */
    'another name' => [$name, $good, ['peer_name' => 'other.test']],
    'another name, unverified CA' => [$name, $good, ['peer_name' => 'x', 'verify_peer' => '0']],
    'another address' => [$name, $server($ca->issue('IP:127.0.0.2'))],
    'an address, names only' => [$name, $server($ca->issue('DNS:localhost'))],
    'an address as a name' => [$name, $server($ca->issue('DNS:127.0.0.1'))],
    'an address as common name' => [$name, $server($ca->issue(name: '127.0.0.2'))],
    'no name at all' => ['~is for no name~', $server($ca->issue())],
    'the common name beside other names' =>
        [$name, $server($ca->issue('DNS:a.test', 'b.test')), ['peer_name' => 'b.test']],
    'a wildcard, one level too deep' => [$name, $good, ['peer_name' => 'a.b.cache.test']],
    'a wildcard, one level too high' => [$name, $good, ['peer_name' => 'cache.test']],
    'a partial wildcard' => [$name, $server($ca->issue('DNS:part*.cache.test')),
        ['peer_name' => 'partial.cache.test']],

    /* trust */
    'a foreign CA' => [$trust, $server($foreign->issue('IP:127.0.0.1'))],
    'a foreign CA, unverified name' =>
        [$trust, $server($foreign->issue('IP:127.0.0.1')), ['verify_peer_name' => '0']],
    'a CA that the system does not know' =>
        ['~not accepted.*by the option ssl\[cafile\]~', $good, ['cafile' => null]],
    'signed by itself' => [$trust, $server($foreign->itself('IP:127.0.0.1'))],
    'no certificate of the middle CA' =>
        [$trust, $server($middle->issue('IP:127.0.0.1', is_chain: false))],
    'the middle CA alone' =>
        [$trust, $server($middle->issue('IP:127.0.0.1')), ['cafile' => $middle->file]],
    'a folder without hashed names' =>
        [$trust, $good, ['cafile' => null, 'capath' => dirname($ca->file)]],
    'expired' => [$date, $server($ca->issue('IP:127.0.0.1', from: -9, to: -1))],
    'not valid yet' => [$date, $server($ca->issue('IP:127.0.0.1', from: 1, to: 9))],

    /* versions */
    'an older version' => ['~ssl\[min_version\]~', $old, ['min_version' => '1.3']],
    'other ciphers' => ['~ssl\[ciphers\]~', $old, ['ciphers' => 'ECDHE-RSA-AES128-GCM-SHA256']],

    /* ports */
    'a port without TLS' => [$no_tls, $plain->port, [], C, false],
    'a port that says nothing' => [$no_tls, $at(odd_server('$kept[] = $client;')), [], C, false],
    'a port that closes' =>
        ['~a port with TLS\?~', $at(odd_server('fclose($client);')), [], C, false],
    'a port that closes after the first bytes' => ['~a port with TLS\?~',
        $at(odd_server('fread($client, 9000); fclose($client);')), [], C, false],
    'noise' => [$no_tls, $at(server_that_says(str_repeat("\x9e\x01\xff\x33", 999)))],
    'HTTP' => [$no_tls, $at(server_that_says("HTTP/1.1 400 Bad Request\r\n\r\n"))],
    'SSH' => [$no_tls, $at(server_that_says("SSH-2.0-OpenSSH_9.2\r\n"))],
    'an error of Redis' => [$no_tls, $at(server_that_says("-ERR unknown command\r\n"))],
    'half a record' =>
        ['~handshake~', $at(server_that_says("\x16\x03\x03\x01\x00\x02\x00")), [], C, false],

    /* alerts */
    'alert: handshake failure' =>
        ['~ssl\[local_cert\].*ssl\[ciphers\]~', $at(server_that_says("\x15\3\3\0\2\2\x28"))],
    'alert: protocol version' =>
        ['~ssl\[min_version\]~', $at(server_that_says("\x15\3\3\0\2\2\x46"))],
    'alert: unknown name' =>
        ['~ssl\[peer_name\]~', $at(server_that_says("\x15\3\3\0\2\2\x70"))],
    'alert: internal error' =>
        ['~internal error~', $at(server_that_says("\x15\3\3\0\2\2\x50")), [], C, false],
];
foreach ($asks as $version => $asking) {
    $pairs = fn (array $pair) => ['local_cert' => $pair[0], 'local_pk' => $pair[1]];
    $tables['a call'] += [
        "no client certificate, TLS $version" =>
            ['~"(certificate required|handshake failure)".*ssl\[local_cert\]~', $asking],
        "an expired client certificate, TLS $version" =>
            [$client, $asking, $pairs($ca->issue(name: 'me', from: -9, to: -1))],
        "a client certificate of a foreign CA, TLS $version" =>
            [$client, $asking, $pairs($foreign->issue(name: 'me'))],
    ];
}

/* Options that the constructor refuses. */
$tables['the constructor'] = [
    'a CA that is no file' => ['~cafile: cannot read~', $good, ['cafile' => "$folder/none"]],
    'a CA without a certificate' => ['~cafile~', $good, ['cafile' => "$folder/text"]],
    'a CA that is a folder' => ['~cafile~', $good, ['cafile' => $folder]],
    'a key for a CA' => ['~cafile~', $good, ['cafile' => $ok[1]]],
    'a folder that is none' => ['~capath: cannot read~', $good, ['capath' => "$folder/none"]],
    'a folder that is a file' => ['~capath.*not a folder~', $good,
        ['cafile' => null, 'capath' => $ca->file]],
    'a client certificate that is no file' =>
        ['~local_cert: cannot read~', $good, ['local_cert' => "$folder/none"]],
    'a client certificate without one' =>
        ['~local_cert~', $good, ['local_cert' => "$folder/text"]],
    'a client certificate without a key' => ['~local_cert.*key~', $good, ['local_cert' => $ok[0]]],
    'a key that is no file' => ['~local_pk: cannot read~', $good,
        ['local_cert' => $ok[0], 'local_pk' => "$folder/none"]],
    'a key that does not fit' => ['~local_pk.*does not belong.*local_cert~', $good,
        ['local_cert' => $ok[0], 'local_pk' => $encrypted[1], 'passphrase' => 'S3CRET']],
    'a key of another kind' => ['~local_pk.*does not belong.*local_cert~', $good,
        ['local_cert' => $ok[0], 'local_pk' => "$folder/rsa.key"]],
    'an encrypted key without passphrase' => ['~local_pk.*option passphrase~', $good,
        ['local_cert' => $encrypted[0], 'local_pk' => $encrypted[1]]],
    'a wrong passphrase' => ['~local_pk.*passphrase is wrong~', $good,
        ['local_cert' => $encrypted[0], 'local_pk' => $encrypted[1], 'passphrase' => 'S3CRETS']],
    'a key alone' => ['~local_pk needs local_cert~', $good, ['local_pk' => $ok[1]]],
    'a passphrase alone' => ['~passphrase needs local_cert~', $good, ['passphrase' => 'S3CRET']],
    'unknown ciphers' => ['~ciphers~', $good, ['ciphers' => 'ROT13']],
    'an unknown version' => ['~min_version must be 1\.2 or 1\.3~', $good, ['min_version' => '1.1']],
    'not a switch' => ['~verify_peer must be true or false~', $good, ['verify_peer' => 'maybe']],
    'an unknown option' => ['~allow_self_signed is unknown.*cafile.*SNI_enabled~', $good,
        ['allow_self_signed' => '1']],
    'an empty option' => ['~peer_name must not be empty~', $good->tlsDsn('?ssl[peer_name]=')],
    'a NUL byte' => ['~peer_name must not contain a NUL~', $good->tlsDsn('?ssl[peer_name]=a%00b')],
    'an option twice' =>
        ['~cafile is given twice~', $good->tlsDsn('?ssl[cafile]=a&ssl[cafile]=b')],
    'no end of the name' => ['~ssl\[name\]=value~', $good->tlsDsn('?ssl[cafile=a')],
    'an option without TLS' =>
        ['~use rediss://~', "redis://127.0.0.1:$plain->port?ssl[cafile]=$ca->file"],
    "a socket's path" => ['~unix://~', "rediss://$plain->socket"],
];
touch("$folder/hidden");
chmod("$folder/hidden", 0);
if (!is_readable("$folder/hidden")) { // root may read all files
    $tables['the constructor']['an unreadable file'] =
        ['~cafile: cannot read~', $good, ['cafile' => "$folder/hidden"]];
}
foreach ($tables['the constructor'] as &$row) {
    $row += [2 => [], 3 => 'ValueError'];
}
unset($row);

/* The same, by the argument. */
$arguments = [
    'without TLS' => ['ValueError', '~\(\$tls\).*write rediss://~', ['cafile' => $ca->file],
        $plain->dsn()],
    'an unknown option' => ['ValueError', '~\(\$tls\).*unknown.*SNI_enabled~', ['CAfile' => 'x']],
    'a list' => ['ValueError', '~\(\$tls\).*names of options~', [$ca->file]],
    'an unknown option that is null' => ['ValueError', '~\(\$tls\).*unknown~', ['CAfile' => null]],
    'an array' => ['TypeError', '~\(\$tls\).*"cafile" is array~', ['cafile' => [$ca->file]]],
    'an object' => ['TypeError', '~\(\$tls\).*"cafile" is SplFileInfo~',
        ['cafile' => new SplFileInfo($ca->file)]],
    'an empty text' => ['ValueError', '~\(\$tls\).*cafile must not be empty~', ['cafile' => '']],
    'a number for a version' => ['ValueError', '~\(\$tls\).*min_version~', ['min_version' => 1.1]],
    'a number for a switch' => ['ValueError', '~\(\$tls\).*verify_peer~', ['verify_peer' => 2]],
    'no file' => ['ValueError', '~cafile: cannot read~', ['cafile' => "$folder/none"]],
    'a text' => ['TypeError', '~\(\$tls\)~', $ca->file],
];

/** Checks the rules for every message. */
function message_is_fine(string $what, ?Throwable $thrown): void
{
    $text = (string) $thrown?->getMessage();
    check("$what: its outcome is known", !str_contains($text, 'unknown:')
        && !str_contains($text, 'outcome unknown'), $text);
    check("$what: no passphrase", !str_contains($text, 'S3CRET'), $text);
    check("$what: printable", preg_match('~^[\x20-\x7e]+$~D', $text) === 1, $text);
    check("$what: short", strlen($text) < 600, strlen($text));
}

$connects = fn () => RedisLock::stats()['connects'];
$rows = 0;
foreach ($tables as $where => $table) {
    foreach ($table as $what => $row) {
        [$message, $target, $options, $class, $is_final] = $row + [2 => [], 3 => C, 4 => true];
        $dsn = match (true) {
            $target instanceof TestServer => $target->tlsDsn($query($options)),
            is_int($target) => "rediss://127.0.0.1:$target" . $query($options),
            str_contains($target, '?') => $target,
            default => $target . $query($options),
        };
        $before = $connects();
        $rows++;
        if ($class !== C) {
            $thrown = throws("$where, $what", $class, $message, fn () => new RedisLock($dsn), 0.5);
            message_is_fine($what, $thrown);
            same("$what: no traffic", 0, $connects() - $before);
            continue;
        }
        $lock = new RedisLock($dsn, timeout: slack(1.0), connectTimeout: slack(0.3));
        $thrown = throws("$where, $what", $class, $message, fn () => $lock->acquire('k'), 0.4);
        message_is_fine($what, $thrown);
        same("$what: dials", 1, $connects() - $before);
        $target instanceof TestServer && same("$what: keys", [], $target->keys());
        if ($is_final) {
            $before = $connects();
            throws("a wait, $what", $class, $message, fn () => $lock->acquire('k', wait: 9), 0.4);
            same("$what: dials of a wait", 1, $connects() - $before);
        }
    }
}
foreach ($arguments as $what => $row) {
    [$class, $message, $tls, $dsn] = $row + [3 => $good->tlsDsn()];
    $thrown = throws("tls: $what", $class, $message, fn () => new RedisLock($dsn, tls: $tls), 0.5);
    message_is_fine("tls: $what", $thrown);
    $rows++;
}
foreach ([$good, $plain] as $each) {
    same('keys', [], $each->keys());
}

/* A port that says nothing costs time, and no processor. */
$usage = fn () => array_sum(array_map(fn ($name) => getrusage()["ru_$name.tv_sec"] * 1e6
    + getrusage()["ru_$name.tv_usec"], ['utime', 'stime']));
$before = $usage();
throws('a port without TLS', C, $no_tls,
    fn () => (new RedisLock("rediss://127.0.0.1:$plain->port" . $query([]), connectTimeout: 0.5))
        ->acquire('k'), 0.6);
between('seconds of processor', 0, slack(0.1), ($usage() - $before) / 1e6);
check('rows', $rows >= 60, $rows);

done();
?>
--EXPECT--
ok
