--TEST--
With a lease the thread wakes only once a second and when a renewal is due, and makes no other system calls.
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
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$long = $lock->lease('long', 60);
$lost = $lock->lease('lost', 60, onLoss: stop(...));
$brief = $lock->lease('brief', 0.3);
unset($brief);
$thread =
    array_values(array_diff(array_map(basename(...), glob('/proc/self/task/*')), [getmypid()]))[0];
$slept = function () use ($thread): int {
    preg_match('~^voluntary_ctxt_switches:\s+(\d+)~m',
        file_get_contents("/proc/self/task/$thread/status"), $m);
    return (int) $m[1];
};
$before = $slept();
usleep(1_500_000);
between('wake-ups in 1.5 s', 0, 5, $slept() - $before);

/* Leases that come and go before they are due wake it now and then, not each of them. */
$before = $slept();
for ($i = 0; $i < 1000; $i++) {
    $brief = $lock->lease("brief$i", 10);
    $brief->release();
}
between('wake-ups by a thousand leases', 0, 50, $slept() - $before);

done();
?>
--EXPECT--
ok
