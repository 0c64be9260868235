--TEST--
After kill -9 of redislock run its lock ends at its TTL; the command runs on, unless setpriv lets the kernel end it.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the key is looked at on one server');
if (!str_contains((string) shell_exec('setpriv --help 2>&1'), '--pdeathsig')) {
    die('skip no setpriv with --pdeathsig');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';

$server = start_server();
$ttl = room(1.0);
$lock = new RedisLock($server->dsn());

/** Whether the process runs; one that has ended may still have to be reaped. */
function runs(int $pid): bool
{
    $stat = (string) @file_get_contents("/proc/$pid/stat");
    return $stat !== '' && preg_match('~\) [ZX] ~', $stat) !== 1;
}

$prefixes = ['runs on' => [], 'is ended' => ['setpriv', '--pdeathsig', 'TERM', '--']];
foreach ($prefixes as $what => $by) {
    $tool = start_tool($server->dsn(), 'run', 'k', "--ttl=$ttl", '--', ...$by,
        ...['sh', '-c', 'echo "pid $$."; exec sleep 100']);
    preg_match('~pid (\d+)\.~', $tool->expect('~pid \d+\.~'), $m);
    $pid = (int) $m[1];
    OwnProcesses::add($pid);
    $tool->signal(SIGKILL);
    eventually("$what: the tool has ended", fn () => !runs($tool->pid));
    eventually("$what: the lock ends", fn () => !$lock->isLocked('k'), 2 * $ttl);
    if ($by === []) {
        check($what, runs($pid));
        send_signal($pid, SIGKILL);
    } else {
        eventually($what, fn () => !runs($pid));
    }
    OwnProcesses::remove($pid);
}

done();
?>
--EXPECT--
ok
