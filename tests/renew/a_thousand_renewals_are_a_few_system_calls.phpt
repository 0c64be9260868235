--TEST--
The renewals of a thousand leases take a few system calls, because all due renewals go out in one write.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (trim((string) shell_exec('strace -c -o /dev/null true 2>&1 && echo yes'))
    !== 'yes') { die('skip no strace, or not permitted'); }
skip_under_valgrind();
if (PHP_INT_SIZE < 8) { die('skip system calls have other names'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
/* The TTL is long beside the time that a busy machine takes for a thousand leases: leases that are
 * taken far apart are due far apart. */
$code = '$lock = new RedisLock($argv[1]);
    for ($i = 0; $i < 1000; $i++) { $leases[] = $lock->lease("k$i", (float) $argv[2]); }
    $until = hrtime(true) + 1e9 * $argv[3];
    while (RedisLock::stats()["renewed"] < 2000 && hrtime(true) < $until) { usleep(10000); }
    echo getmypid(), " ", RedisLock::stats()["renewed"];';
exec('strace -f -e trace=sendto -o ' . escapeshellarg("$server->folder/strace") . ' '
    . php_command() . ' -r ' . escapeshellarg($code)
    . ' -- ' . escapeshellarg($server->dsn()) . ' ' . room(6.0) . ' ' . slack(20.0) . ' 2>&1',
    $output);
[$pid, $renewals] = array_map(intval(...), explode(' ', implode("\n", $output)) + [0, 0]);
$calls =
    array_count_values(array_map(intval(...),
        preg_grep('~sendto\(~', file("$server->folder/strace"))));
check('the script itself has sent', ($calls[$pid] ?? 0) >= 1000, $output);
unset($calls[$pid]);
same('one thread beside it', 1, count($calls));
between('renewals', 2000, 100000, $renewals);
/* Bytes that do not fit into the socket at once go in a second or third piece. */
between('its system calls', 2, $renewals / 50, array_sum($calls));
/* By the end of the script; by their TTL, if it stalls there. */
eventually('no keys are left', fn () => $server->keys() === []);

done();
?>
--EXPECT--
ok
