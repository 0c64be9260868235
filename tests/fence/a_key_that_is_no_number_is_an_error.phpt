--TEST--
Another value under the name of the number is an error of the server, and the lease stays held.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_fences();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('k', 20);
foreach ([
    ['WRONGTYPE', '~WRONGTYPE~', ['LPUSH', 'k::rl-fence', 'x']],
    ['WRONGTYPE', '~WRONGTYPE~', ['ZADD', 'k::rl-fence', 1, 'x']],
    ['ERR', '~the key ::rl-fence of the lock has no fencing number~',
        ['SET', 'k::rl-fence', 'text']],
    ['ERR', '~has no fencing number~', ['SET', 'k::rl-fence', '-1']],
    ['ERR', '~has no fencing number~', ['SET', 'k::rl-fence', 'nan']],
    ['ERR', '~has no fencing number~', ['SET', 'k::rl-fence', '1e30']],
    ['ERR', '~has no fencing number~', ['SET', 'k::rl-fence', (string) 2 ** 53]],
] as [$code, $regex, $command]) {
    $what = implode(' ', $command);
    $server->cmd('DEL', 'k::rl-fence');
    $server->cmd(...$command);
    $e = throws($what, 'RedisLockServerException', $regex, fn () => $lease->fence());
    same("$what: code", $code, $e->getErrorCode());
    same("$what: held", true, $lease->isHeld());
}
$server->cmd('DEL', 'k::rl-fence');
check('without it', $lease->fence() > 0);

/* The server refuses the write. */
$lease = $lock->lease('full', 20);
$server->cmd('CONFIG', 'SET', 'maxmemory', 1);
$e = throws('out of memory', 'RedisLockServerException', '~OOM~', fn () => $lease->fence());
$server->cmd('CONFIG', 'SET', 'maxmemory', 0);
same('held', true, $lease->isHeld());
check('with memory', $lease->fence() > 0);

done();
?>
--EXPECT--
ok
