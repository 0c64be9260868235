<?php
/*
 * For bench/lease.php: takes COUNT leases, sleeps, and answers with the microseconds of CPU time
 * that this process, with all its threads, used meanwhile, and whether all are still held.
 *
 * usage: php idle_worker.php DSN COUNT TTL SECONDS
 */
[, $dsn, $count, $ttl, $seconds] = $argv;

$lock = new RedisLock($dsn);
$lock->isLocked('bench:idle'); // connects, also without a lease
$leases = [];
for ($i = 0; $i < $count; $i++) {
    $leases[] = $lock->lease('bench:idle:' . getmypid() . ":$i", (float) $ttl);
}
usleep(200_000); // what comes with the first lease is no idle cost
$before = cpu_time();
usleep((int) ($seconds * 1e6));
$used = cpu_time() - $before;
$held = count(array_filter($leases, fn (RedisLockLease $lease): bool => $lease->isHeld()));
echo $used, ' ', $held, "\n";

function cpu_time(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000
        + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}
