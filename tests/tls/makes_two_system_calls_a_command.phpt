--TEST--
A warm command is one send and one recv by TLS, too.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_tls();
if (trim((string) shell_exec('strace -c -o /dev/null true 2>&1 && echo yes'))
    !== 'yes') { die('skip no strace, or not permitted'); }
skip_under_valgrind();
if (PHP_INT_SIZE < 8) { die('skip system calls have other names'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';

$ca = new_authority();
/* How often each system call is made by so many pairs of acquire() and release(). */
$calls = function (TestServer $server, int $cycles) use ($ca): array {
    $code = '$lock = new RedisLock($argv[1], tls: ["cafile" => $argv[2]]);
        for ($i = 0; $i < $argv[3]; $i++) {
            $lock->release("stock:42", $lock->acquire("stock:42")) || die("not released");
        }
        echo "cycles: $i";';
    $file = "$server->folder/strace";
    exec('strace -f -c -o ' . escapeshellarg($file) . ' ' . php_command() . ' -r '
        . escapeshellarg($code) . ' -- '
        . implode(' ', array_map(escapeshellarg(...), [$server->tlsDsn(), $ca->file, $cycles]))
        . ' 2>&1', $output);
    same('the child', ["cycles: $cycles"], $output);
    preg_match_all('~^\s*[\d.]+\s+\S+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$~m',
        file_get_contents($file), $m);
    return array_combine($m[2], array_map(intval(...), $m[1]));
};
foreach (['TLSv1.2', 'TLSv1.3'] as $protocol) {
    $server = start_tls_server($ca, config: ['tls-protocols' => $protocol]);
    [$few, $many] = [$calls($server, 100), $calls($server, 1100)];
    $more = fn (string $name) => ($many[$name] ?? 0) - ($few[$name] ?? 0);
    /* A third call for each pair would add 1000. A process that stalls checks its connection. */
    between("$protocol: sends of 1000 acquire() and release()", 1990, 2200, $more('sendto'));
    between("$protocol: receives", 1990, 2200, $more('recvfrom'));
    between("$protocol: all system calls", 3980, 4400, array_sum(array_map($more,
        array_keys(array_diff_key($many, ['total' => 0])))));
}

done();
?>
--EXPECT--
ok
