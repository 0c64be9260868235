--TEST--
An IPv6 address stands in brackets.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (!@stream_socket_server('tcp://[::1]:0')) { die('skip no IPv6'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server(['bind' => [['127.0.0.1', '::1']]], tcp: true);
$lock = new RedisLock("redis://[::1]:$server->port/2");
$token = $lock->acquire('k');
same('keys', ['2:k'], $server->keys());
same('release()', true, $lock->release('k', $token));
$refused = stream_socket_server('tcp://[::1]:0', $errno, $message, STREAM_SERVER_BIND);
$name = stream_socket_get_name($refused, false);
throws('refused', 'RedisLockConnectionException', '~redis://\[::1\]:\d+~',
    fn () => (new RedisLock("redis://$name"))->acquire('k'));

done();
?>
--EXPECT--
ok
