--TEST--
After a fatal error, too, a lease that a shutdown function drops is freed at once.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$child = start_php('
    $lock = new RedisLock($argv[1]);
    register_shutdown_function(function () use ($lock) {
        for ($i = 0; $i < 3; $i++) {
            $lease = $lock->lease("log");
            echo $lease === null ? "taken\n" : "got it\n";
            unset($lease);
        }
    });
    ini_set("memory_limit", "4M");
    str_repeat("x", 1 << 30);
', [$server->dsn()]);
same('lines', 3, substr_count($child->output(), "got it\n"));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
