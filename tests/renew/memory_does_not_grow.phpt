--TEST--
Renewals, losses and their reports leak no memory, no descriptor and no connection.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test counts the connections to one server');
skip_behind_sentinel('the number of connections to the Sentinels varies');
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), reentrant: true);
$unit = room(0.01);
$work = function (int $times) use ($lock, $server, $unit): void {
    for ($i = 0; $i < $times; $i++) {
        try { // the machine may be too busy for such TTLs
            $leases = [];
            for ($n = 0; $n < 10; $n++) {
                $leases[] = $lock->lease("k$n", 6 * $unit,
                    onLoss: $n % 2 === 0 ? stop(...) : null);
            }
            $leases[] = $lock->lease('k1', 5 * $unit);
            $server->cmd('DEL', 'k2', 'k3');
            compute(8 * $unit); // renewals, and two that are lost
        } catch (RedisLockLostException | RedisLockConnectionException) {
        }
        try {
            ($leases[5] ?? null)?->detach();
        } catch (RedisLockLostException) {
        }
        try {
            unset($leases);
            $server->cmd('FLUSHALL');
            $lock->synchronized('k', fn () => $server->cmd('DEL', 'k') && compute(5 * $unit),
                6 * $unit, onLoss: stop(...));
        } catch (RedisLockLostException | RedisLockConnectionException) {
        }
    }
};
$used = function (): array {
    preg_match('~^VmRSS:\s+(\d+)~m', file_get_contents('/proc/self/status'), $m);
    return ['RSS' => (int) $m[1], 'PHP' => memory_get_usage(),
        'files' => count(glob('/proc/self/fd/*')), 'threads' => threads()];
};
$work(10);
$before = $used();
$work(12);
$after = $used();
between('RSS in KiB', -1024, 512, $after['RSS'] - $before['RSS']);
between('PHP', -4096, 4096, $after['PHP'] - $before['PHP']);
same('files', $before['files'], $after['files']);
same('threads', [2, 2], [$before['threads'], $after['threads']]);
same('connections: that of the script, and that of the thread', 2,
    count($server->newClient()->clients())); // an exception may have cut an answer of the other one
check('there was something to renew and to lose', renewed() > 100 && lost() > 20,
    [renewed(), lost()]);

done();
?>
--EXPECT--
ok
