--TEST--
50,000 leases, taken and ended in every way, leave no memory and no connection behind.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test counts the connections to one server');
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
function resident(): int
{
    preg_match('~VmRSS:\s+(\d+) kB~', (string) @file_get_contents('/proc/self/status'), $m);
    return 1024 * (int) ($m[1] ?? 0);
}
/* So often, or as often as a slow machine does in that share of the time. */
$work = function (int $times, float $share) use ($lock): int {
    $until = now() + $share * min(time_left(), 600);
    for ($i = 0; $i < $times && now() < $until; $i++) {
        switch ($i % 5) {
            case 0:
                $ignored = $lock->lease("k$i")->release();
                break;
            case 1:
                $lease = $lock->lease("k$i");
                $lease = null;
                break;
            case 2:
                $lock->synchronized("k$i", fn () => $i);
                break;
            case 3:
                try {
                    $lock->synchronized("k$i", fn () => throw new LogicException());
                } catch (LogicException) {
                }
                break;
            case 4:
                $ignored = $lock->lease('taken');
        }
    }
    return $i;
};
$server->cmd('SET', 'taken', 'somebody');
$work(5000, 0.3);
$memory = memory_get_usage();
$resident = resident();
$times = $work(45000, 0.8);
check('there were many', $times >= 2000, $times);
between('PHP', 0, 4096, abs(memory_get_usage() - $memory));
between('the process', 0, 2 << 20, max(0, resident() - $resident));
same('keys', ['0:taken'], $server->keys());
same('one connection', 1, count($server->client()->clients()));

done();
?>
--EXPECT--
ok
