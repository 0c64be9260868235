--TEST--
The exception names the server without its credentials, the reason, and the errno as its code.
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

$port = refusing_port($holder);
$server = start_server();
touch("$server->folder/file");
$cases = [
    "redis://user:secret@127.0.0.1:$port" => ["redis://127.0.0.1:$port", '~refused~i', 111],
    "redis://:secret@127.0.0.1:$port/2" => ["redis://127.0.0.1:$port/2", '~refused~i', 111],
    'unix://user:secret@/nowhere/redis.sock' => ['unix:///nowhere/redis.sock',
        '~no such file~i', 2],
    "unix://$server->folder/file" => ["unix://$server->folder/file",
        '~refused|not a socket~i', null],
    "unix://$server->folder?db=3" => [null, '~.~', null],
    'redis://no-such-host.invalid:6379' => ['redis://no-such-host.invalid:6379',
        '~no-such-host|name|resol~i', null],
];
foreach ($cases as $dsn => [$name, $reason, $code]) {
    foreach ([fn ($lock) => $lock->acquire('k'), fn ($lock) => $lock->release('k', 'token'),
            fn ($lock) => $lock->isLocked('k')] as $call) {
        $thrown = throws($dsn, 'RedisLockConnectionException', $reason,
            fn () => $call(new RedisLock($dsn)), 20.0);
        check("$dsn: no secret",
            !str_contains($thrown->getMessage() . implode('', array_keys($thrown->getReasons()))
                . implode('', $thrown->getReasons()), 'secret'), $thrown->getMessage());
        if ($name !== null) {
            check("$dsn: the server's name", str_contains($thrown->getMessage(), $name),
                $thrown->getMessage());
            same("$dsn: its reasons", [$name], array_keys($thrown->getReasons()));
            matches("$dsn: its reason", $reason, $thrown->getReasons()[$name]);
        }
        if ($code !== null) {
            same("$dsn: code", $code, $thrown->getCode());
        }
    }
}

done();
?>
--EXPECT--
ok
