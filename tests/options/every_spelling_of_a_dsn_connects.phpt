--TEST--
Every spelling of a DSN reaches its server.
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

$server = start_server(tcp: true);
$port = $server->port;
$socket = $server->socket;
$encoded = str_replace(['/', 's'], ['%2F', '%73'], $socket);
$spellings = [
    "redis://127.0.0.1:$port" => 0, "valkey://127.0.0.1:$port" => 0, "tcp://127.0.0.1:$port" => 0,
    "redis://127.0.0.1:$port/" => 0, "redis://127.0.0.1:$port/0" => 0,
    "redis://127.0.0.1:$port/3" => 3, "redis://127.0.0.1:$port?db=3" => 3,
    "redis://127.0.0.1:$port/?db=3" => 3, "redis://127.0.0.1:$port/3?timeout=2.5" => 3,
    "redis://127.0.0.1:$port?timeout=2&connect_timeout=2.5&db=3" => 3,
    "redis://%31%32%37.0.0.1:$port" => 0, "REDIS://127.0.0.1:$port" => 0,
    "unix://$socket" => 0, "unix://$socket?db=3" => 3, "redis://$socket" => 0,
    "redis://$socket?db=3" => 3, "valkey://$socket" => 0,
    'unix:///' . ltrim(str_replace('s', '%73', $socket), '/') => 0, "unix://$socket?timeout=3" => 0,
];
$spellings['redis://' . loopback_name() . ":$port"] = 0;
foreach ($spellings as $dsn => $db) {
    foreach ([$dsn, [$dsn]] as $servers) {
        $lock = new RedisLock($servers);
        $token = $lock->acquire('k');
        same("key of $dsn", ["$db:k"], $server->keys());
        same("release() on $dsn", true, $lock->release('k', $token));
    }
}

done();
?>
--EXPECT--
ok
