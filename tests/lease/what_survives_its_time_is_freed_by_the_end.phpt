--TEST--
A lease whose time is over, but whose key is still at the server, is released by the end of the script.
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
$child = start_and_stop_at(CHILD_BEGINS . '$lease = $lock->lease("k", 0.1);', 'echo $lease->isHeld() ? "held" : "lost";', [$server->dsn()]);
$server->cmd('PEXPIRE', 'k', 60000);
usleep(150000);
$child->tell('go');
matches('output', '~(lost)$~', $child->output());
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
