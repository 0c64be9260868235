--TEST--
Sockets never take descriptors 0 to 2, where a daemon that closed them still prints.
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
require_once __DIR__ . '/../inc/child.inc';

$server = start_server(tcp: true);
$server->cmd('SET', 'held', 'stranger');
/* A file, for with -r PHP keeps the streams open. */
$file = "$server->folder/daemon.php";
file_put_contents($file, <<<'CODE'
    <?php
    ignore_user_abort(true);
    fclose(STDIN);
    fclose(STDOUT);
    fclose(STDERR);
    $lock = new RedisLock($argv[1], persistent: false);
    $locks = [];
    for ($n = 0; $n < 4; $n++) {
        $locks[] = $other = new RedisLock($argv[1], persistent: false);
        $other->isLocked('held');
    }
    echo "SET injected 1\r\n";
    $token = $locks[0]->acquire('held');
    $ignored = $lock->acquire($token === null ? 'refused' : 'granted', token: 'done');
    CODE);
foreach ([$server->dsn(), $server->tcpDsn()] as $dsn) {
    exec(php_command() . ' ' . escapeshellarg($file) . ' ' . escapeshellarg($dsn));
    same("keys after $dsn", ['0:held', '0:refused'], $server->keys());
    $server->cmd('DEL', 'refused');
}

/* The pipe of the thread that renews leases, too. */
file_put_contents($file, <<<'CODE'
    <?php
    ignore_user_abort(true);
    fclose(STDIN);
    fclose(STDOUT);
    fclose(STDERR);
    $lock = new RedisLock($argv[1], persistent: false);
    $ttl = (float) $argv[2];
    $lease = $lock->lease('k', $ttl);
    $lock->isLocked('k');
    echo str_repeat('x', 100000);
    $seen =
        array_map(fn ($n) => preg_replace('~[^a-z]~', '', (string) @readlink("/proc/self/fd/$n")),
            [0, 1, 2]);
    usleep((int) (4e6 / 3 * $ttl));
    $ignored = $lock->acquire(($lease->isHeld() ? 'held' : 'lost') . implode(',', $seen),
        token: 'done');
    CODE);
exec(php_command() . ' ' . escapeshellarg($file) . ' ' . escapeshellarg($server->dsn())
    . ' ' . room(0.3));
same('keys: held, and nothing stands where the streams were', ['0:held', '0:held,,'],
    $server->keys());

done();
?>
--EXPECT--
ok
