--TEST--
SIGKILL, and SIGTERM where it frees nothing, leave the key until its TTL, and then it is free.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind(); /* a process that is killed frees nothing */
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$deaths = [
    'SIGKILL' => [SIGKILL, 'true', []],
    'switched off' => [SIGTERM, 'true', ['redislock.free_on_sigterm' => '0']],
    'not renewed' => [SIGTERM, 'false', []],
];
foreach ($deaths as $what => [$signal, $renew, $ini]) {
    $child =
        start_php(CHILD_BEGINS
            . "\$lease = \$lock->lease('k', 60, renew: $renew); echo \"ready\\n\"; sleep(60);",
            [$server->dsn()], $ini);
    $child->expect('~ready~');
    $child->signal($signal);
    same("$what: status", -$signal, $child->status());
    same("$what: keys", ['0:k'], $server->keys());
    between("$what: PTTL", 1, 60000, $server->cmd('PTTL', 'k'));
    $server->cmd('PEXPIRE', 'k', 50);
    $lease = $lock->lease('k', 10, slack(5.0));
    check("$what: it is free after its ttl", $lease !== null);
    unset($lease);
}

done();
?>
--EXPECT--
ok
