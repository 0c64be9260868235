--TEST--
A lock is in the database of its DSN, and in no other.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('it has one database');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server(tcp: true);
$locks = [
    0 => new RedisLock($server->dsn()),
    1 => new RedisLock($server->dsn('?db=1')),
    2 => new RedisLock($server->tcpDsn('/2')),
    15 => new RedisLock($server->tcpDsn('?db=15')),
];
$tokens = array_map(fn ($lock) => $lock->acquire('k'), $locks);
same('four locks', 4, count(array_unique($tokens)));
same('keys', ['0:k', '15:k', '1:k', '2:k'], $server->keys());
foreach ($locks as $db => $lock) {
    same("db $db is locked", null, $lock->acquire('k'));
    same("owner in $db", $tokens[$db], $lock->owner('k'));
    same("a token of another database in $db", false,
        $lock->release('k', $tokens[$db === 0 ? 1 : 0]));
    same("release in $db", true, $lock->release('k', $tokens[$db]));
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
