--TEST--
Processes that wait for each other never hold the lock at once, and lose no update.
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
$file = "$server->folder/counter";
file_put_contents($file, '0');
$forks = [];
for ($n = 0; $n < 5; $n++) {
    $forks[] = in_fork(function () use ($server, $file): void {
        $lock = new RedisLock($server->dsn());
        for ($i = 0; $i < 20; $i++) {
            $token = $lock->acquire('counter', 30, 60);
            $count = (int) file_get_contents($file);
            usleep(random_int(0, 1000));
            file_put_contents($file, (string) ($count + 1));
            same('release()', true, $lock->release('counter', $token));
        }
    });
}
array_map(fn ($fork) => reap($fork, 60.0), $forks);
same('counter', '100', file_get_contents($file));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
