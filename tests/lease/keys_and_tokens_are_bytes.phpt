--TEST--
Keys of any bytes and any length work with leases, with and without a prefix; key() returns the key without the prefix.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
foreach (['', 'shop:', "\0\xff\r\n"] as $prefix) {
    $own = new RedisLock($server->dsn(), prefix: $prefix);
    foreach (["a\0b", "\r\n", "\xff\xfe", '0', str_repeat('x', 65536 - strlen($prefix))] as $key) {
        $lease = $own->lease($key);
        same('key()', bin2hex($key), bin2hex($lease->key()));
        is_whole('it', $server, $lease, $prefix);
        same('verify()', true, $lease->verify());
        same('extend()', true, $lease->extend(20));
        same('release()', true, $lease->release());
    }
}
$token = "\0\xff" . str_repeat('t', 4094);
same('acquire()', $token, $lock->acquire("a\0b", token: $token));
$lease = $lock->resume("a\0b", $token);
matches('token() of what was taken over', TOKEN, $lease->token());
same('verify()', true, $lease->verify());
same('release()', true, $lease->release());
$lease = $lock->lease("a\0b", token: $token);
same('token()', bin2hex($token), bin2hex($lease->token()));
same('verify() of an own one', true, $lease->verify());
same('detach()', bin2hex($token), bin2hex($lease->detach()));
same('section', "a\0b", $lock->synchronized("a\0b\0", fn ($lease) => substr($lease->key(), 0, 3)));
same('keys', ["0:a\0b"], $server->keys());

done();
?>
--EXPECT--
ok
