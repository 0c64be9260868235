--TEST--
A child that was forked in a section ends without freeing the lock; the parent's section continues and frees it.
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
foreach ([fn () => exit(0), fn () => 1, fn () => throw new LogicException('x')] as $i => $end) {
    $parent = getmypid();
    $result = null;
    try {
        $result =
                $lock->synchronized('k',
                        function (RedisLockLease $lease) use ($server, $end): string {
            $pid = pcntl_fork();
            if ($pid === 0) {
                return $end();
            }
            pcntl_waitpid($pid, $status);
            is_whole('in the parent', $server, $lease);
            same('verify()', true, $lease->verify());
            return 'parent';
        }, 60);
    } catch (RedisLockLostException | LogicException $thrown) {
    }
    if (getmypid() !== $parent) {
        exit(0);
    }
    same("$i: result", 'parent', $result);
    same("$i: keys", [], $server->keys());
}

done();
?>
--EXPECT--
ok
