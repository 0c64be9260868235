--TEST--
var_dump() names the servers that are not verified, and phpinfo() counts their options; a passphrase is shown nowhere.
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
require __DIR__ . '/../inc/lease.inc';

function info(): string
{
    ob_start();
    (new ReflectionExtension('redislock'))->info();
    return ob_get_clean();
}

$ca = new_authority();
$server = start_tls_server($ca);
$name = $server->tlsDsn();
[$certificate, $key] = $ca->issue(passphrase: 'S3CRET');
$mine = ['local_cert' => $certificate, 'local_pk' => $key];
$trusted = ['cafile' => $ca->file];

/* A dump. */
$dump = function (RedisLock $lock): string {
    ob_start();
    var_dump($lock);
    return ob_get_clean();
};
matches('phpinfo()', '~^TLS => OpenSSL \d\S* .*\(compiled: .*OpenSSL \d.*\)$~m', info());
$lock = new RedisLock("$name?ssl[cafile]=$ca->file", 'shop:');
check('verified: the server', str_contains($dump($lock), $name), $dump($lock));
check('verified: nothing is weak', !str_contains($dump($lock), 'unverified'), $dump($lock));
check('verified: nothing is incomplete', !str_contains(info(), 'Verification of servers'), info());
$lock = new RedisLock([$name, 'redis://127.0.0.1:1'],
    tls: $trusted + ['verify_peer_name' => false]);
matches('the name', "~\"unverified\".*$name: verify_peer_name is off~s", $dump($lock));
check('the name alone', !str_contains($dump($lock), 'verify_peer is off'), $dump($lock));
matches('the name: phpinfo()',
    '~^Verification of servers by TLS => INCOMPLETE for 1 set of options$~m', info());
$lock = new RedisLock("$name?ssl[verify_peer]=no&ssl[verify_peer_name]=no");
matches('all', "~\"unverified\".*$name: verify_peer is off.*verify_peer_name is off~s",
    $dump($lock));
matches('all: phpinfo()', '~ INCOMPLETE for 2 sets of options$~m', info());

/* Secrets, wherever the passphrase comes from. */
$dsn = "$name?" . http_build_query(['ssl' => $mine + $trusted + ['passphrase' => 'S3CRET']]);
$argument = $mine + $trusted + ['passphrase' => 'S3CRET'];
foreach (['the DSN' => [$dsn, []], 'the argument' => [$name, $argument]] as $what => $arguments) {
    [$server_name, $tls] = $arguments;
    $lock = new RedisLock($server_name, tls: $tls);
    same("$what: release()", true, $lock->release('k', (string) $lock->acquire('k')));
    $lease = $lock->lease('k', 30);
    $seen = everything_shown($lock) . everything_shown($lease) . info();
    check("$what: dumps", !str_contains($seen, 'S3CRET'), $seen);
    $lease->release();
    /* A failure: the lock's, and the constructor's. */
    $failures = [
        fn () => (new RedisLock($server_name, timeout: 0.0, tls: $tls)),
        fn () => (new RedisLock($server_name . ($tls === [] ? '&' : '?') . 'ssl[passphrase]=S3CRET',
            tls: ['bogus' => 'S3CRET'] + $tls)),
        fn () => (new RedisLock(str_replace('passphrase', 'pass', $server_name),
            tls: ['cafile' => 'S3CRET' . chr(0)] + $tls)),
        fn () => (new RedisLock($server_name, tls: ['peer_name' => 'x'] + $tls))->acquire('k', -1),
    ];
    foreach ($failures as $i => $failure) {
        try {
            $failure();
            check("$what, $i: it fails", false);
        } catch (Throwable $thrown) {
            $seen = $thrown . print_r($thrown, true) . $thrown->getTraceAsString();
            check("$what, $i: no secret", !str_contains($seen, 'S3CRET'), $seen);
        }
    }
}
/* As INI setting. */
$seen = run_php('phpinfo(INFO_MODULES); $lock = new RedisLock(); var_dump($lock);
    new RedisLock(timeout: 0.0);', [], ['redislock.servers' => $dsn]);
matches('INI: the server', "~^redislock\.servers => $name~m", $seen);
check('INI: no secret', !str_contains($seen, 'S3CRET'), $seen);

done();
?>
--EXPECT--
ok
