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
$leases = [(new RedisLock($server->dsn()))->lease('a', 1.5),
    (new RedisLock($server->tcpDsn()))->lease('b', 1.5)];
renewals_go_on('at first', 2);
$server->restart();
/* Longer than any TTL from before the restart. */
stays_held('after the restart', $server, $leases, 2.0);
same('lost', 0, lost());
same('release()', [true, true], [$leases[0]->release(), $leases[1]->release()]);

done();
?>
--EXPECT--
ok
