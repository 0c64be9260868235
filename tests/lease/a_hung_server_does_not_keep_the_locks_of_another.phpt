--TEST--
At the end of a script with leases on a server that hangs and on another server, the leases on the other server are freed.
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
$hung = start_server();
foreach ([[$server, $hung], [$hung, $server], [$hung, $server, $hung], [$server, $hung, $server]]
        as $i => $order) {
    $code =
        'foreach (array_slice($argv, 1) as $i => $dsn) { $lock = new RedisLock($dsn); $all[] = $lock->lease("k$i", 60); }';
    $child = start_and_stop_at($code, '', array_map(fn ($server) => $server->dsn(), $order));
    $hung->pause();
    $child->tell('go');
    $child->output();
    eventually("order $i: no key", fn () => $server->keys() === []);
    $hung->resume();
    $hung->cmd('FLUSHALL');
    $server->cmd('FLUSHALL');
}

done();
?>
--EXPECT--
ok
