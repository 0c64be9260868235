--TEST--
The end of the script releases a lease whose proof is over but whose key is still on the server.
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
$child = start_and_stop_at(CHILD_BEGINS . '$lease = $lock->lease("k", ' . room(0.5)
    . ', renew: false);', 'while ($lease->isHeld()) { usleep(1000); } echo "lost";',
    [$server->dsn()]);
same('the key lives on', 1, $server->cmd('PEXPIRE', 'k', 60000));
$child->tell('go');
matches('output', '~lost$~D', $child->output());
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
