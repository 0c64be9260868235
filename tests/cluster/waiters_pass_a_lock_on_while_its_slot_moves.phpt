--TEST--
Processes that contend for a lock exclude each other while its slot moves to and fro.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';

$cluster = start_cluster();
$key = $cluster->keyOf(0);
$file = tempnam(sys_get_temp_dir(), 'rl-moves-');
$sections = function () use ($cluster, $key, $file): void {
    $lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
    for ($i = 0; $i < 40; $i++) {
        $lock->synchronized($key, function () use ($file): void {
            $handle = fopen($file, 'c+');
            check('nobody else is in it', flock($handle, LOCK_EX | LOCK_NB));
            $count = (int) fgets($handle);
            usleep(1000);
            rewind($handle);
            fwrite($handle, $count + 1 . "\n");
            flock($handle, LOCK_UN);
        }, 30, slack(15.0));
    }
};
$workers = array_map(fn () => in_fork($sections), range(1, 4));
$is_over = fn (): bool => (int) file_get_contents($file) === 160;
for ($moves = 0, $until = now() + slack(20.0); !$is_over() && now() < $until; $moves++) {
    $cluster->move($key, ($moves + 1) % 3);
    usleep(50000);
}
array_map(reap(...), $workers);
same('each section ran once', '160', trim(file_get_contents($file)));
check('the slot moved meanwhile', $moves > 0, $moves);
unlink($file);
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
