--TEST--
A detached lock outlives its process, and resume() takes it over in another.
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
$seen = run_php(CHILD_BEGINS . 'echo $lock->lease("k", 60)->detach();', [$server->dsn()]);
matches('token', TOKEN, $seen);
same('value', $seen, $server->cmd('GET', 'k'));
$lease = $lock->resume('k', $seen, 20);
is_whole('resumed', $server, $lease);
matches('token()', TOKEN, $lease->token());
check('it is a fresh one', $lease->token() !== $seen);
between('the ttl is new', 15000, 20000, $server->cmd('PTTL', 'k'));
between('remaining()', 15, 19.9, $lease->remaining());
$other =
    run_php(CHILD_BEGINS
        . '$lease = $lock->resume("k", $argv[2], 30); echo $lease->isHeld() ? "mine" : "not mine";',
        [$server->dsn(), $lease->detach()]);
same('in another process', 'mine', $other);
same('whose end frees it', [], $server->keys());

done();
?>
--EXPECT--
ok
