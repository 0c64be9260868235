--TEST--
Renewal continues after the server was restarted with its data, within the time that was proven.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('a master refuses commands for two seconds after its start');
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server =
    start_server(['appendonly' => 'yes', 'appendfsync' => 'always', 'aof-use-rdb-preamble' => 'no'],
        tcp: true);
$ttl = room(1.5);
$leases = [(new RedisLock($server->dsn()))->lease('a', $ttl),
    (new RedisLock($server->tcpDsn()))->lease('b', $ttl)];
renewals_go_on('at first', 2);
$server->restart();
/* Longer than any TTL from before the restart. */
stays_held('after the restart', $server, $leases, 4 / 3 * $ttl);
same('lost', 0, lost());
same('release()', [true, true], [$leases[0]->release(), $leases[1]->release()]);

done();
?>
--EXPECT--
ok
