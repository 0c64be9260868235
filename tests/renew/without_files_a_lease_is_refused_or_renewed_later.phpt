--TEST--
If the system has no pipe left, the lease is refused before the lock is asked for; a held lease is renewed as soon as there are sockets again.
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

$server = start_server();
/* In a process that may have few files. */
$code = '
    $lock = new RedisLock($argv[1]);
    $lock->isLocked("k"); // connected
    function use_up(): array {
        for ($files = []; ($file = @fopen("/dev/null", "r")) !== false;) {
            $files[] = $file;
        }
        return $files;
    }
    $files = use_up();
    foreach (["lease" => fn () => $lock->lease("k"), "resume" => fn () => $lock->resume("k", "x"),
            "synchronized" => fn () => $lock->synchronized("k", fn () => print("no"))]
            as $how => $try) {
        try {
            $try();
            echo "$how: not refused\n";
        } catch (RedisLockException $thrown) {
            echo "$how: ", get_class($thrown), " ", $thrown->getMessage(), " ",
                $thrown->getCode() > 0 ? "errno" : "", "\n";
        }
    }
    echo "locked: ", json_encode($lock->isLocked("k")), ", threads: ",
        count(glob("/proc/self/task/*") ?: [0]), "\n";
    echo "renew: false: ", json_encode($lock->lease("k", renew: false)->isHeld()), "\n";
    $files = [];
    $lease = $lock->lease("k", 1.2 * $argv[2]);
    $files = use_up();
    usleep((int) (700000 * $argv[2])); // a renewal was due
    echo "meanwhile: ", json_encode($lease->isHeld()), ", renewed: ",
        RedisLock::stats()["renewed"], "\n";
    $files = [];
    for ($until = hrtime(true) + 2e9 * $argv[2];
            RedisLock::stats()["renewed"] === 0 && hrtime(true) < $until; usleep(5000)) {}
    echo "afterwards: ", json_encode($lease->isHeld()), ", renewed: ",
        RedisLock::stats()["renewed"];';
$output = (string) shell_exec('ulimit -n 40; exec ' . php_command()
    . ' -r ' . escapeshellarg($code) . ' -- ' . escapeshellarg($server->dsn()) . ' ' . room(1.0)
    . ' 2>&1');
$refused = 'RedisLockException could not start the thread that renews leases: Too many open files;'
    . ' a lease of one key with renew: false and without onLoss needs no thread errno';
same('what it says', "lease: $refused\nresume: $refused\nsynchronized: $refused\n"
    . "locked: false, threads: 1\nrenew: false: true\n"
    . "meanwhile: true, renewed: 0\nafterwards: true, renewed: 1", $output);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
