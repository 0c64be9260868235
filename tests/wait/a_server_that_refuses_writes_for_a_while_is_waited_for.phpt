--TEST--
A real server that refuses writes for a while (too few replicas, a failed save) ends no wait.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test keeps one server from saving');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server(['save' => [['3600', '1000000']]]);
$bgsave = function (string $status) use ($server): void {
    $server->cmd('BGSAVE');
    eventually("the save is $status", fn () => str_contains($server->cmd('INFO', 'persistence'),
        "rdb_last_bgsave_status:$status\r\n"), 20.0);
};
$kinds = [
    'NOREPLICAS' => [fn () => $server->cmd('CONFIG', 'SET', 'min-replicas-to-write', '1'),
        fn () => $server->cmd('CONFIG', 'SET', 'min-replicas-to-write', '0')],
    'MISCONF' => [function () use ($server, $bgsave): void {
        @unlink("$server->folder/dump.rdb"); // that of FLUSHALL
        mkdir("$server->folder/dump.rdb");
        $bgsave('err');
    }, function () use ($server, $bgsave): void {
        rmdir("$server->folder/dump.rdb");
        $bgsave('ok');
    }],
];
foreach ($kinds as $code => [$break, $mend]) {
    $lock = new RedisLock($server->dsn());
    $token = hold($server, 'held');
    $release = fn ($lock, $token) => $lock->release('held', $token);
    $queued = waiter($server->dsn(), 'held', ['wait' => 20], then: $release);
    queued($server, 1);
    $break();
    throws("$code without a wait", 'RedisLockServerException', "~$code~",
        fn () => $lock->acquire('free'));
    $free = waiter($server->dsn(), 'free', ['wait' => 20]);
    $held = waiter($server->dsn(), 'held', ['wait' => 20], then: $release);
    usleep(1500000);
    same("$code: nobody has ended", 0, pcntl_waitpid($queued->pid, $status, WNOHANG)
        + pcntl_waitpid($free->pid, $status, WNOHANG)
        + pcntl_waitpid($held->pid, $status, WNOHANG));
    $mend();
    $server->cmd('DEL', 'held');
    check("$code: the one in the queue gets it", ($result = $queued->result())['token'] !== null,
        $result);
    check("$code: the one that came meanwhile gets it",
        ($result = $held->result())['token'] !== null, $result);
    check("$code: the free lock is taken", ($result = $free->result())['token'] !== null, $result);
    $server->cmd('FLUSHALL');
}

done();
?>
--EXPECT--
ok
