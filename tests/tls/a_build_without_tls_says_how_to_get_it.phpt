--TEST--
A build without TLS refuses a DSN with TLS, says how to get TLS, and connects to no server without it.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_server();
if (extension_has_tls()) { die('skip redislock was built with TLS'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';

$server = start_server(tcp: true);
$how = '~rediss://127\.0\.0\.1:\d+.*built without TLS.*OpenSSL 1\.1\.1.*~';
foreach (['rediss', 'valkeys', 'tls'] as $scheme) {
    $dsn = "$scheme://127.0.0.1:$server->port";
    foreach (['alone' => $dsn, 'with an option' => "$dsn?ssl[verify_peer]=0",
            'as a member' => [$server->dsn(), $dsn]] as $what => $servers) {
        throws("$scheme, $what", 'ValueError', $how, fn () => new RedisLock($servers));
    }
}
throws('the argument', 'ValueError', '~\(\$tls\).*no server uses TLS~',
    fn () => new RedisLock($server->tcpDsn(), tls: ['cafile' => '/nothing']));
$ini = ['redislock.servers' => "rediss://127.0.0.1:$server->port"];
matches('INI', $how, run_php('try { new RedisLock(); echo "no exception"; }
    catch (ValueError $e) { echo $e->getMessage(); }', [], $ini));
same('no traffic', 0, RedisLock::stats()['connects']);
ob_start();
(new ReflectionExtension('redislock'))->info();
matches('phpinfo()', '~^TLS => no \(built without OpenSSL\)$~m', ob_get_clean());

/* Without TLS all is as ever. */
$lock = new RedisLock($server->tcpDsn());
same('release()', true, $lock->release('k', (string) $lock->acquire('k')));
same('handshakes', 0, RedisLock::stats()['tls_handshakes']);

done();
?>
--EXPECT--
ok
