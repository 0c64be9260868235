--TEST--
exit() in a handler ends the wait at once and leaves no key.
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

$server = start_server();
$server->cmd('SET', 'k', 'somebody');
$child = start_php('
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, fn () => exit(3));
    register_shutdown_function(fn () => print("shutdown\n"));
    $lock = new RedisLock($argv[1]);
    echo "waiting\n";
    try {
        $ignored = $lock->acquire("k", 60, INF);
    } finally {
        echo "finally\n";
    }
    echo "not here\n";', [$server->dsn()]);
$child->expect('~waiting~');
usleep(300000);
$start = now();
$child->signal(SIGUSR1);
same('output', "waiting\nshutdown\n", $child->output());
check('at once', now() - $start < slack(3.0), now() - $start);
same('status', 3, $child->status());
$server->cmd('DEL', 'k');
usleep(300000);
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
