--TEST--
A warm command is two system calls at most.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (trim((string) shell_exec('strace -c -o /dev/null true 2>&1 && echo yes'))
    !== 'yes') { die('skip no strace, or not permitted'); }
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server(tcp: true);
$calls = function (string $dsn, int $cycles) use ($server): int {
    $code = '$lock = new RedisLock($argv[1]);
        for ($i = 0; $i < $argv[2]; $i++) {
            $lock->release("stock:42", $lock->acquire("stock:42")) || die("not released");
        }
        echo "cycles: $i";';
    $file = "$server->folder/strace";
    exec('strace -f -c -o ' . escapeshellarg($file) . ' ' . php_command() . ' -r '
        . escapeshellarg($code) . ' -- ' . escapeshellarg($dsn) . " $cycles 2>&1", $output);
    same('the child', ["cycles: $cycles"], $output);
    preg_match('~^100\.00\s+\S+\s+\S*\s+(\d+)(\s+\d+)?\s+total~m', file_get_contents($file), $m)
        || throw new RuntimeException(file_get_contents($file));
    return (int) $m[1];
};
foreach ([$server->dsn(), $server->tcpDsn()] as $dsn) {
    $more = $calls($dsn, 1100) - $calls($dsn, 100);
    /* A third call for each pair would add 1000. A process that stalls checks its connection. */
    check("system calls of 1000 acquire() and release() on $dsn", $more <= 4000 + 400, $more);
    check('it was measured', $more >= 2000, $more);
}

done();
?>
--EXPECT--
ok
