--TEST--
However a forked child and its own children end, the leases of the parent and of its sections continue.
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
foreach (['return' => '', 'exit' => 'exit(0);', 'exception' => 'throw new LogicException("x");',
    'fatal error' => 'trigger_error("x", E_USER_ERROR);',
    'unset' => 'unset($lease); gc_collect_cycles();',
    'grandchild' => '$pid = pcntl_fork(); if ($pid) { pcntl_waitpid($pid, $status); }']
    as $what => $end) {
    $code = '
        ini_set("display_errors", 0);
        $work = function () use ($lock) {
            $lease = $lock->lease("k", 60);
            $own = (new RedisLock($GLOBALS["argv"][1], persistent: false))->lease("own", 60);
            $pid = pcntl_fork();
            if ($pid === 0) { ' . $end . ' return; }
            pcntl_waitpid($pid, $status);
            ini_set("display_errors", 1);
            var_dump($lease->verify(), $own->verify(), $lease->extend(60));
            fgets(STDIN);
            var_dump($lease->release(), $own->release());
        };
        $work();
    ';
    $child = start_php(CHILD_BEGINS . $code, [$server->dsn()]);
    $seen = $child->expect('~(bool\(\w+\)\s+){3}~');
    same("$what: keys", ['0:k', '0:own'], $server->keys());
    $child->tell('go');
    same("$what: output", str_repeat("bool(true)\n", 5), $child->output());
    same("$what: keys", [], $server->keys());
}

done();
?>
--EXPECT--
ok
