--TEST--
synchronized() throws if the server does not allow the final release, unless the section itself has thrown.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/members.inc';

$bar = fn (Members $members, int ...$which) => array_map(
    fn (int $i) => $members->servers[$i]->cmd('ACL', 'SETUSER', 'default', '-eval', '-evalsha'),
    $which);
$allow = fn (Members $members) => array_map(
    fn (TestServer $server) => $server->cmd('ACL', 'SETUSER', 'default', '+eval', '+evalsha'),
    $members->servers);
$failed = fn () => RedisLock::stats()['failed'];

foreach ([1, 3] as $count) {
    $members = start_members($count);
    $lock = $members->lock(timeout: slack(0.5));
    $all = range(0, $count - 1);
    $before = $failed();
    $thrown = throws("$count: barred", 'RedisLockServerException', '~NOPERM~',
        fn () => $lock->synchronized('k', fn () => $bar($members, ...$all), 5, renew: false));
    same("$count: code", 'NOPERM', $thrown?->getErrorCode());
    $reasons = array_keys($thrown?->getReasons() ?? []);
    same("$count: reasons", [], array_diff($reasons, $members->names()));
    check("$count: a reason of each that decided", count($reasons) >= $members->quorum(), $reasons);
    same("$count: counted", 1, $failed() - $before);
    $allow($members);
    throws("$count: the section's own", 'LogicException', '~mine~',
            fn () => $lock->synchronized('l', function () use ($bar, $members, $all): void {
        $bar($members, ...$all);
        throw new LogicException('mine');
    }, 5));
    $allow($members);
    $lease = $lock->lease('m', 5);
    $bar($members, ...$all);
    $lease = null; // does not throw
    $allow($members);
    $members->flush();
}

/* A minority that does not allow it does not matter. */
same('a minority', 7, $lock->synchronized('k', function () use ($bar, $members): int {
    $bar($members, 1);
    return 7;
}, 5));
$allow($members);
$members->flush();

/* By configuration: the command has another name. */
$file = tempnam(sys_get_temp_dir(), 'rl-test-');
file_put_contents($file, "rename-command EVAL \"\"\n");
$server = start_server(['include' => $file]);
unlink($file);
$lock = new RedisLock($server->dsn());
throws('renamed', 'RedisLockServerException', '~unknown command~',
    fn () => $lock->synchronized('k', fn () => 1, 5, renew: false));

/* A key of another type belongs to another holder. */
$server = start_server();
$lock = new RedisLock($server->dsn());
throws('another type', 'RedisLockLostException', '~lost~',
        fn () => $lock->synchronized('k', function () use ($server): void {
    $server->cmd('DEL', 'k');
    $server->cmd('HSET', 'k', 'f', 'v');
}, 5));
same('it is left alone', 'v', $server->cmd('HGET', 'k', 'f'));

done();
?>
--EXPECT--
ok
