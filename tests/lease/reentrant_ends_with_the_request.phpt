--TEST--
A lock with several leases is freed once at the end of the request, and not by a forked child.
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
$lock = new RedisLock($server->dsn(), reentrant: true);
$a = $lock->lease('k');
$b = $lock->lease('k');
$pid = pcntl_fork();
if ($pid === 0) {
    same('in the child', [false, false, null], [$a->isHeld(), $b->release(), $lock->lease('k')]);
    exit(Checks::$failed);
}
pcntl_waitpid($pid, $status);
same('status of the child', 0, pcntl_wexitstatus($status));
same('the parent has it', [true, true, true],
    [$a->isHeld(), $b->isHeld(), $server->cmd('EXISTS', 'k') === 1]);
unset($lock, $a);
same('it outlives its RedisLock', true, $b->isHeld());
unset($b);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
