--TEST--
A server that hangs delays the end of a script by 0.2 s, with one lease or a hundred, of one object or many.
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
foreach (['1 lease' => 'for ($i = 0; $i < 1; $i++) { $all[] = $lock->lease("k$i", 60); }',
    '100 leases' => 'for ($i = 0; $i < 100; $i++) { $all[] = $lock->lease("k$i", 60); }',
    '20 objects' =>
            'for ($i = 0; $i < 20; $i++) { $all[] = (new RedisLock($argv[1], timeout: 60, connectTimeout: 60, persistent: $i % 2 > 0))->lease("k$i", 60); }']
            as $what => $code) {
    foreach (['', 'exit;', 'trigger_error("x", E_USER_ERROR);'] as $end) {
        $child =
            start_and_stop_at('$lock = new RedisLock($argv[1], timeout: 60, connectTimeout: 60);'
                . $code, $end, [$server->dsn()]);
        $server->pause();
        $took = elapsed(function () use ($child): void {
            $child->tell('go');
            $child->output();
        });
        $server->resume();
        between("$what $end", 0, 0.25 + slack(0.75), $took);
        $server->cmd('FLUSHALL');
    }
}

done();
?>
--EXPECT--
ok
