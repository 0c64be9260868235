<?php
/*
 * The uncontended cycle: RedisLock::acquire() and release() against the same two commands in C on hiredis.
 *
 * Both run against one private server, on a unix socket and on loopback TCP. Client and server share one core,
 * for then a round trip has no sleeping core to wake, and the difference is the client's own work. The two
 * take turns in short rounds, and what counts is the ratio within each pair: what else the machine does hits
 * both.
 *
 * usage: php bench/cycle.php EXTENSION_SO CYCLE_HIREDIS SERVER [--quick]
 */
[, $extension, $limit, $server] = $argv;
$isQuick = in_array('--quick', $argv, true);
$pairs = $isQuick ? 10 : 40;
$cycles = $isQuick ? 1000 : 2500;

$folder = sys_get_temp_dir() . '/redislock-bench-' . getmypid();
mkdir($folder, 0700);
$children = [];
register_shutdown_function(function () use ($folder, &$children) {
    foreach ($children as $child) {
        proc_terminate($child['process']);
        proc_close($child['process']);
    }
    array_map('unlink', glob("$folder/*"));
    rmdir($folder);
});

/** A child pinned to core 0, with pipes. */
function start(array $command): array
{
    global $children;
    $pinned = array_merge(['taskset', '-c', '0'], $command);
    $process = proc_open($pinned, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
    return $children[] = ['process' => $process, 'in' => $pipes[0], 'out' => $pipes[1]];
}

function nanoseconds(array $child, int $cycles): int
{
    fwrite($child['in'], "$cycles\n");
    return (int) fgets($child['out']) ?: throw new RuntimeException('a worker ended early');
}

function median(array $numbers): float
{
    sort($numbers);
    $middle = intdiv(count($numbers), 2);
    return count($numbers) % 2 ? $numbers[$middle] : ($numbers[$middle - 1] + $numbers[$middle]) / 2;
}

function freePort(): int
{
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $name = stream_socket_get_name($socket, false);
    return (int) substr($name, strrpos($name, ':') + 1);
}

$port = freePort();
$socket = "$folder/redis.sock";
start([$server, '--port', $port, '--bind', '127.0.0.1', '--unixsocket', $socket, '--save', '', '--logfile',
    "$folder/log", '--dir', $folder]);
for ($i = 0; !file_exists($socket); $i++) {
    $i < 200 || throw new RuntimeException('the server did not start');
    usleep(25_000);
}

$php = [PHP_BINARY, '-n', '-d', "extension=$extension", __DIR__ . '/cycle_worker.php'];
$transports = [
    'unix socket' => [["unix://$socket"], ['unix', $socket]],
    'loopback TCP' => [["redis://127.0.0.1:$port"], ['tcp', $port]],
];
echo "| | RedisLock, us a cycle | C on hiredis, us a cycle | ratio (median of $pairs pairs) |\n|---|---|---|---|\n";
foreach ($transports as $name => [$phpArguments, $limitArguments]) {
    $ours = start(array_merge($php, $phpArguments));
    $theirs = start(array_merge([$limit], $limitArguments));
    nanoseconds($ours, $cycles);
    nanoseconds($theirs, $cycles);
    $times = ['ours' => [], 'theirs' => [], 'ratio' => []];
    for ($i = 0; $i < $pairs; $i++) {
        /* The order changes, so that neither always runs first. */
        if ($i % 2) {
            $a = nanoseconds($ours, $cycles);
            $b = nanoseconds($theirs, $cycles);
        } else {
            $b = nanoseconds($theirs, $cycles);
            $a = nanoseconds($ours, $cycles);
        }
        $times['ours'][] = $a / $cycles / 1000;
        $times['theirs'][] = $b / $cycles / 1000;
        $times['ratio'][] = $b / $a;
    }
    printf("| %s | %.1f | %.1f | %.2f |\n", $name, median($times['ours']), median($times['theirs']),
        median($times['ratio']));
}
