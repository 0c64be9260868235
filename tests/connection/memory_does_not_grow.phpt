--TEST--
After 50,000 cycles on new keys, 100,000 more grow the process by 0 KB.
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
$cycles = (int) (getenv('REDISLOCK_MEMORY_CYCLES') ?: 50000);
$n = 0;
$run = function (int $cycles) use ($lock, &$n): void {
    for ($i = 0; $i < $cycles; $i++) {
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
$run($cycles);
$before = $rss();
$run(2 * $cycles);
same('growth in KB', 0, max(0, $rss() - $before));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
