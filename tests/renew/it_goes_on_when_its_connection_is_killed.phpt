--TEST--
Renewal continues when its connection is killed, again and again.
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
require __DIR__ . '/../inc/renew.inc';

$server = start_server(tcp: true);
$ttl = room(0.6);
$leases = [(new RedisLock($server->dsn('?db=2')))->lease('a', $ttl),
    (new RedisLock($server->tcpDsn()))->lease('b', $ttl),
    (new RedisLock('redis://' . loopback_name() . ":$server->port"))->lease('c', $ttl)];
renewals_go_on('at first', 3);
(new RedisLock($server->tcpDsn()))->close(); // that of the script, not that of the thread
for ($i = 0; $i < 6; $i++) {
    $server->cmd('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    renewals_go_on("after kill $i", 3);
    same('held', [true, true, true], array_map(fn ($lease) => $lease->isHeld(), $leases));
}
same('keys', ['0:b', '0:c', '2:a'], $server->keys());
same('lost', 0, lost());
same('release()', [true, true, true], array_map(fn ($lease) => $lease->release(), $leases));

done();
?>
--EXPECT--
ok
