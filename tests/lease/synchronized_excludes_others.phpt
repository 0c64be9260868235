--TEST--
Sections in several processes never run at the same time, and all run.
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
$server->cmd('SET', 'counter', 0);
for ($n = 0; $n < 4; $n++) {
    $forks[] = in_fork(function () use ($server, $lock): void {
        for ($i = 0; $i < 25; $i++) {
            $lock->synchronized('k', function () use ($server): void {
                $seen = (int) $server->cmd('GET', 'counter');
                usleep(500);
                $server->cmd('SET', 'counter', $seen + 1);
            }, 30, slack(20.0));
        }
    });
}
array_map(reap(...), $forks);
same('counter', '100', $server->cmd('GET', 'counter'));
same('keys', ['0:counter'], $server->locks());

done();
?>
--EXPECT--
ok
