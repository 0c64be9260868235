<?php
/*
 * For bench/tls.php: connects to a server again and again, and prints as JSON what each acquire
 * took whose connection had to be made: "ns", the CPU time of the process, "cpu" in us, and whether
 * a session of TLS was resumed.
 *
 * Files of the CA that are different copies never share a session. So the first connection with
 * each file has a full handshake, and the second one resumes its session. All files are read before
 * the times are taken.
 *
 * usage: php tls_redial_worker.php PORT REDIALS [CA_FILE...]      without a file: without TLS
 */
require __DIR__ . '/lib/Peer.php';

[, $port, $redials] = $argv;
$files = array_slice($argv, 3);
$dsns = $files === [] ? ["redis://127.0.0.1:$port"]
    : array_map(fn (string $file) => tls_dsn((int) $port, $file), $files);
$locks = array_map(fn (string $dsn) => new RedisLock($dsn), $dsns);

function cpu_time(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000
        + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

function dial(RedisLock $lock): array
{
    $resumed = RedisLock::stats()['tls_resumed'];
    $cpu = cpu_time();
    $start = hrtime(true);
    $token = $lock->acquire('bench:redial', 30.0);
    $ns = hrtime(true) - $start;
    $cpu = cpu_time() - $cpu;
    $lock->release('bench:redial', $token);
    $lock->close();
    return ['ns' => $ns, 'cpu' => $cpu,
        'isResumed' => RedisLock::stats()['tls_resumed'] > $resumed];
}

dial(array_shift($locks) ?? new RedisLock($dsns[0])); // what is done once for a process
$found = ['first' => [], 'again' => []];
foreach ($locks === [] ? [new RedisLock($dsns[0])] : $locks as $lock) {
    $found['first'][] = dial($lock);
    for ($i = 0; $i < (int) $redials; $i++) {
        $found['again'][] = dial($lock);
    }
}
echo json_encode($found), "\n";
