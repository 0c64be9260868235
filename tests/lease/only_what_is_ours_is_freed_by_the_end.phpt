--TEST--
The end of a script frees no lock that another holder has taken over, no detached lock, and no lock of a token.
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
$code = '
    $token = $lock->acquire("token", 60);
    $lease = $lock->lease("detached", 60);
    $lease->detach();
    $taken = $lock->lease("taken", 60);
    $gone = $lock->lease("gone", 60);
    $short = $lock->lease("short", ' . room(0.2) . ', renew: false);
    $kept = $lock->lease("kept", 60);
';
$child = start_and_stop_at(CHILD_BEGINS . $code, 'echo "end";', [$server->dsn()]);
$server->cmd('SET', 'taken', 'somebody', 'PX', 60000);
$server->cmd('DEL', 'gone');
eventually('it is over', fn () => $server->cmd('EXISTS', 'short') === 0);
$server->cmd('SET', 'short', 'somebody', 'PX', 60000);
$child->tell('go');
same('output', "ready\nend", $child->output());
same('keys', ['0:detached', '0:short', '0:taken', '0:token'], $server->keys());
same('values', ['somebody', 'somebody'],
    [$server->cmd('GET', 'taken'), $server->cmd('GET', 'short')]);

done();
?>
--EXPECT--
ok
