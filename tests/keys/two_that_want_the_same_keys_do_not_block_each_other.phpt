--TEST--
Processes that want the same keys in different orders never wait for each other: all of them go on, and no two are inside at a time.
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
$worker = <<<'PHP'
    $lock = new RedisLock($argv[1], timeout: 10);
    $keys = ['p', 'q', 'r', 's'];
    mt_srand((int) $argv[2]);
    $until = microtime(true) + (float) $argv[3];
    for ($rounds = 0; microtime(true) < $until; $rounds++) {
        shuffle($keys);
        $two = array_slice($keys, 0, 2);
        $lock->synchronized($two, function () use ($two, $argv) {
            foreach ($two as $key) {
                $file = fopen("$argv[4]/inside-$key", 'c');
                flock($file, LOCK_EX | LOCK_NB) || print "two are inside\n";
                $files[] = $file;
            }
            usleep(1000);
        }, ttl: 5, wait: 60);
    }
    echo "$rounds rounds\n";
    PHP;
$workers = [];
foreach (range(1, 6) as $seed) {
    $workers[] = start_php($worker, [$server->dsn(), $seed, room(1.5), $server->folder]);
}
foreach ($workers as $i => $worker) {
    $output = $worker->output();
    matches("worker $i", '~^\d+ rounds\n$~', $output);
    check("worker $i goes on", (int) $output >= 2, $output);
}
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
