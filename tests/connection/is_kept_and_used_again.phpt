--TEST--
A connection stays open, and all calls of all objects for the same server use it.
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
foreach ([$server->dsn(), $server->tcpDsn()] as $dsn) {
    $before = $server->connectionsReceived();
    for ($i = 0; $i < 50; $i++) {
        $lock = new RedisLock($dsn, $i % 2 ? 'a:' : 'b:');
        $lock->release("k$i", $lock->acquire("k$i"));
        $lock->isLocked("k$i");
    }
    unset($lock);
    same('connections', 1, $server->connectionsReceived() - $before);
}
same('still open', 2, count($server->client()->clients()));

done();
?>
--EXPECT--
ok
