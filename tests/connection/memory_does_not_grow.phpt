--TEST--
After many cycles on new keys, twice as many more grow the process by 0 KB.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$cycles = rounds(10_000, 50_000);
$n = 0;
/* So many, or as many as a slow machine makes in that share of the time. */
$run = function (int $cycles, float $share) use ($lock, &$n): void {
    $until = now() + $share * min(time_left(), 600);
    for ($i = 0; $i < $cycles && now() < $until; $i++) {
        $key = sprintf('stock:%010d', $n++);
        $token = $lock->acquire($key, 30.0);
        if ($lock->release($key, $token) !== true) {
            throw new Exception('not released');
        }
    }
};
$rss = function (): int {
    preg_match('~^VmRSS:\s+(\d+) kB~m', file_get_contents('/proc/self/status'), $m);
    return (int) $m[1];
};
$rss();
$run($cycles, 0.3);
$before = $rss();
$first = $n;
$run(2 * $cycles, 0.8);
check('there were many', $first >= 1000 && $n >= 2 * $first, [$first, $n]);
same('growth in KB', 0, max(0, $rss() - $before));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
