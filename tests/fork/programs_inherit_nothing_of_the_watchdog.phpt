--TEST--
A program started by proc_open() or exec() gets no socket, no pipe and no signal mask of the watchdog.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

RedisLock::waitWith(null); // the descriptors of calls that yield are not counted
$server = start_server(tcp: true);
$files = function (int|string $pid = 'self'): array {
    $files = [];
    foreach (glob("/proc/$pid/fd/*") as $name) {
        $to = (string) @readlink($name);
        if (preg_match('~^(socket|pipe|anon_inode):~', $to)) {
            $files[] = $to;
        }
    }
    return $files;
};
$server->client();
$before = $files();
$leases = [(new RedisLock($server->dsn()))->lease('a', room(0.3)),
    (new RedisLock($server->tcpDsn()))->lease('b', room(0.3))];
renewals_go_on('two', 2);
$ours = array_values(array_diff($files(), $before));
/* Two connections of the script, two of the watchdog, and its pipe (one file where it is an
 * eventfd). */
between('files of the extension', 5, 6, count(array_unique($ours)));

$child = proc_open(['/bin/sh', '-c', 'read line'], [['pipe', 'r']], $pipes);
$pid = proc_get_status($child)['pid'];
eventually('the program runs', fn () => trim(@file_get_contents("/proc/$pid/comm")) === 'sh');
same('inherited', [], array_values(array_intersect($ours, $files($pid))));
fclose($pipes[0]);
proc_close($child);
$seen = (string) shell_exec('ls -l /proc/self/fd');
check('a shell has files', str_contains($seen, '/'), $seen);
same('inherited by a shell', [],
    array_values(array_filter($ours, fn ($file) => str_contains($seen, $file))));
same('blocked signals of a program', '0000000000000000',
    trim((string) shell_exec("sed -n 's/^SigBlk:[[:space:]]*//p' /proc/self/status")));
same('blocked signals of the script', '0000000000000000',
    preg_match('~^SigBlk:\s+(\w+)~m', file_get_contents('/proc/self/status'), $m) ? $m[1] : '');
foreach (glob('/proc/self/task/*') as $task) {
    if (basename($task) !== (string) getmypid()) {
        preg_match('~^SigBlk:\s+(\w+)~m', file_get_contents("$task/status"), $m);
        check('the thread takes no signals', (hexdec(substr($m[1], -8)) & 0x7ffbfeff)
            === 0x7ffbfeff, $m[1]);
    }
}

done();
?>
--EXPECT--
ok
