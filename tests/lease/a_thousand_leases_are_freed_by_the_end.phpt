--TEST--
The end of a script frees a thousand leases within its 0.2 s.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
foreach (['' => '', 'after a fatal error' => 'trigger_error("x", E_USER_ERROR);']
        as $what => $end) {
    /* The end of a script has little time: a script that stalls leaves locks to their TTL. */
    undisturbed(0.05, function () use ($server, $what, $end): void {
        $server->cmd('FLUSHALL');
        $child =
            start_and_stop_at(CHILD_BEGINS
                . 'for ($i = 0; $i < 1000; $i++) { $all[] = $lock->lease("k$i", 60); }', $end,
                [$server->dsn()]);
        same("$what: keys", 1000, count($server->keys()));
        $took = elapsed(function () use ($child): void {
            $child->tell('go');
            $child->output();
        });
        same("$what: keys", [], $server->keys());
        between("$what: quickly", 0, 1.5 * slowness(), $took);
    });
}

done();
?>
--EXPECT--
ok
