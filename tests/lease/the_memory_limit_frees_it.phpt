--TEST--
A script that runs into the memory limit frees its leases.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind(); /* which replaces the allocator that minds the limit */
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$eat = 'ini_set("memory_limit", "16M"); $x = []; while (true) { $x[] = str_repeat("x", 100000); }';
foreach (['' => '$lease = $lock->lease("k"); held(); ' . $eat,
    ' in a section' => '$lock->synchronized("k", function () { held(); ' . $eat . ' });',
    ' with a deep stack' =>
            'function f($n) { $lease = $GLOBALS["lock"]->lease("k$n"); if ($n < 50) { f($n + 1); } held("k50"); ini_set("memory_limit", "16M"); $x = str_repeat("x", 1 << 26); } f(1);']
            as $what => $code) {
    freed_by_the_end($server, "memory limit$what", $code, '~^held\n.*Allowed memory size~s', 255);
}

done();
?>
--EXPECT--
ok
