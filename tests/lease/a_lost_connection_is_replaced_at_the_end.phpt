--TEST--
The end of a script frees leases although the server has closed its connections and forgotten its scripts.
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
foreach (['', 'exit;'] as $end) {
    $child =
        start_and_stop_at(CHILD_BEGINS
            . 'for ($i = 0; $i < 20; $i++) { $all[] = $lock->lease("k$i", 60); }', $end,
            [$server->dsn()]);
    $server->cmd('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    $server->cmd('SCRIPT', 'FLUSH');
    $child->tell('go');
    $child->output();
    same('keys', [], $server->keys());
}

done();
?>
--EXPECT--
ok
