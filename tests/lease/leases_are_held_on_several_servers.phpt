--TEST--
Leases on several servers and in several databases exist together, and the end frees all of them.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('it has one database');
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$servers = [start_server(), start_server(tcp: true)];
$code = '
    $dsns = array_slice($argv, 1);
    foreach ($dsns as $i => $dsn) {
        foreach ([true, false] as $persistent) {
            $locks[] = $lock = new RedisLock($dsn, persistent: $persistent);
            $leases[] = $lock->lease("k$i" . (int) $persistent);
        }
    }
    echo array_sum(array_map(fn ($lease) => (int) $lease->verify(), $leases));
';
$dsns = [$servers[0]->dsn(), $servers[0]->dsn('?db=3'), $servers[1]->dsn(),
    $servers[1]->tcpDsn('/2')];
same('held', '8', run_php($code, $dsns));
same('keys', [[], []], [$servers[0]->keys(), $servers[1]->keys()]);

done();
?>
--EXPECT--
ok
