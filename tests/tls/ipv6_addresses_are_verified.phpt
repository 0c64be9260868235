--TEST--
By an IPv6 address a server is reached if its certificate has that address.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_tls();
if (!@stream_socket_server('tcp://[::1]:0')) { die('skip no IPv6'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';

$ca = new_authority();
$tls = ['cafile' => $ca->file];
$server = start_tls_server($ca, 'IP:::1', ['bind' => '127.0.0.1 ::1']);
$lock = new RedisLock("rediss://[::1]:$server->tlsPort/2", tls: $tls);
$token = $lock->acquire('k');
same('keys', ['2:k'], $server->keys());
same('release()', true, $lock->release('k', $token));
$lock = new RedisLock("rediss://[0:0::0:1]:$server->tlsPort", tls: $tls);
same('written in another way', false, $lock->isLocked('k'));

throws('the other address', 'RedisLockConnectionException', '~is for ::1, not for "127\.0\.0\.1"~',
    fn () => (new RedisLock($server->tlsDsn(), tls: $tls))->acquire('k'));
$other = start_tls_server($ca, 'IP:::2', ['bind' => '127.0.0.1 ::1']);
throws('another address', 'RedisLockConnectionException',
    '~^rediss://\[::1\]:\d+: .*is for ::2, not for "::1".*ssl\[peer_name\]~',
    fn () => (new RedisLock("rediss://[::1]:$other->tlsPort", tls: $tls))->acquire('k'));

done();
?>
--EXPECT--
ok
