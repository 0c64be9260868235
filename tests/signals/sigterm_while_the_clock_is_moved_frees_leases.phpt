--TEST--
SIGTERM during advance() frees the leases, and ends the process at once.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
skip_without_sigterm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
for ($i = 0; $i < 5; $i++) {
    /* Each second of the clock has three renewals of the lease in memory, so that this takes
     * long. */
    $child = start_php('
        $inMemory = (new RedisLock("memory://"))->lease("k", ttl: 1);
        $lease = (new RedisLock($argv[1]))->lease("k", ttl: 86400);
        echo "ready\n";
        RedisLock::advance(864000);', [$server->dsn()], ['redislock.free_on_sigterm' => 1]);
    $child->expect('~ready~');
    usleep(20000);
    $child->signal(SIGTERM);
    $child->output();
    same("$i: locks", [], $server->locks());
}

done();
?>
--EXPECT--
ok
