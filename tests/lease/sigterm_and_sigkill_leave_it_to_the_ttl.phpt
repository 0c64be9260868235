--TEST--
SIGKILL, and SIGTERM without a handler, leave the key until its TTL; then it is free.
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
foreach ([SIGTERM, SIGKILL] as $signal) {
    $child = start_php(CHILD_BEGINS . '$lease = $lock->lease("k", 60); echo "ready\n"; sleep(60);', [$server->dsn()]);
    $child->expect('~ready~');
    $child->signal($signal);
    same('status', -$signal, $child->status());
    same('keys', ['0:k'], $server->keys());
    between('PTTL', 1, 60000, $server->cmd('PTTL', 'k'));
    $server->cmd('PEXPIRE', 'k', 50);
    $lease = $lock->lease('k', 10, slack(5.0));
    check('it is free after its ttl', $lease !== null);
    unset($lease);
}

done();
?>
--EXPECT--
ok
