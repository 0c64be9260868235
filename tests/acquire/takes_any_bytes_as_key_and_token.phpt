--TEST--
Keys and tokens may be any bytes.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$strings = ["a\0b", "\0", "a\r\nb", "\r\n", "\xff\xfe\x80", ' ', "0\n", '*', '{x}', '{}',
    "\$3\r\nfoo", "schlüssel", '"\\\'', implode('', array_map('chr', range(0, 255)))];
foreach ($strings as $key) {
    foreach ($strings as $token) {
        $what = bin2hex($key) . '/' . bin2hex($token);
        $ok = $lock->acquire($key, 10, token: $token) === $token
            && $server->cmd('GET', $key) === $token
            && $lock->owner($key) === $token
            && $lock->acquire($key, 10, token: $token) === null
            && $lock->release($key, "$token ") === false
            && $lock->extend($key, $token, 20) === true
            && $lock->release($key, $token) === true;
        check($what, $ok);
    }
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
