--TEST--
A program started by proc_open() gets no socket of the extension.
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

$server = start_server(tcp: true);
$sockets = function (int|string $pid = 'self'): array {
    return array_values(array_filter(array_map(fn ($link) => (string) @readlink($link),
        glob("/proc/$pid/fd/*")), fn ($to) => str_starts_with($to, 'socket:')));
};
$server->client();
$before = $sockets();
$locks = [new RedisLock($server->dsn()), new RedisLock($server->tcpDsn()),
    new RedisLock($server->dsn(), persistent: false)];
foreach ($locks as $lock) {
    $ignored = $lock->acquire('k');
}
$ours = array_values(array_diff($sockets(), $before));
same('sockets of the extension', 3, count($ours));

$child = proc_open(['/bin/sh', '-c', 'read line'], [['pipe', 'r']], $pipes);
usleep(100000);
$inherited = $sockets(proc_get_status($child)['pid']);
same('inherited', [], array_values(array_intersect($ours, $inherited)));
fclose($pipes[0]);
proc_close($child);

done();
?>
--EXPECT--
ok
