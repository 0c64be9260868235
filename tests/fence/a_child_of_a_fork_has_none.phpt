--TEST--
A forked child has no fencing number, and its parent keeps its own.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_fences();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
foreach ([false, true] as $is_known) {
    $lease = $lock->lease('k', 20);
    $number = $is_known ? $lease->fence() : null;
    reap(in_fork(function () use ($lease): void {
        $e = throws('in the child', 'RedisLockLostException', '~fork~', fn () => $lease->fence());
        same('getLoss()', RedisLockLoss::Forked, $e->getLoss());
    }));
    check('the parent', $number === null ? $lease->fence() > 0 : $lease->fence() === $number);
    $lease->release();
}

done();
?>
--EXPECT--
ok
