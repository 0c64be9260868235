--TEST--
Numbers grow also if the server has lost the last one, and if the last one is ahead of the clock.
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
$fence = function () use ($lock): int {
    $lease = $lock->lease('k', 20);
    $number = $lease->fence();
    $lease->release();
    return $number;
};
$last = $fence();
foreach ([
    'FLUSHALL' => fn () => $server->cmd('FLUSHALL'),
    'DEL' => fn () => $server->cmd('DEL', 'k::rl-fence'),
    'SCRIPT FLUSH' => fn () => $server->cmd('SCRIPT', 'FLUSH'),
    'an old number' => fn () => $server->cmd('SET', 'k::rl-fence', 17),
    'nothing' => fn () => null,
] as $what => $lose) {
    $lose();
    $number = $fence();
    check("after $what", $number > $last, [$number, $last]);
    $last = $number;
}

/* The clock has gone back: the number alone decides. */
$ahead = $last + 3600 * 1000000;
$server->cmd('SET', 'k::rl-fence', $ahead);
same('one more', $ahead + 1, $fence());
same('one more', $ahead + 2, $fence());

/* Lua counts exactly up to 2^53 - 1. */
$server->cmd('SET', 'k::rl-fence', 2 ** 53 - 3);
same('exact', 2 ** 53 - 2, $fence());
same('exact', 2 ** 53 - 1, $fence());
throws('no more', 'RedisLockServerException',
    '~the key ::rl-fence of the lock has no fencing number~', $fence);

done();
?>
--EXPECT--
ok
