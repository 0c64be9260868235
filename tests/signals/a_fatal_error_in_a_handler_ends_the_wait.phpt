--TEST--
A fatal error in a handler ends the wait at once and leaves no key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
foreach ([
    ['str_repeat("x", 1 << 30);', '~Allowed memory size~'],
    ['trigger_error("stop here", E_USER_ERROR);', '~stop here~'],
    ['undefined_function();', '~undefined_function~'],
    ['eval("abstract final class X {}");', '~abstract~'],
] as [$body, $message]) {
    $server->cmd('SET', 'k', 'somebody');
    $child = start_php('
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function () { ' . $body . ' });
        register_shutdown_function(function () use (&$lock) {
            echo "shutdown ", json_encode([$lock->isLocked("k"), $lock->acquire("k")]), "\n";
        });
        $lock = new RedisLock($argv[1]);
        echo "waiting\n";
        $ignored = $lock->acquire("k", 60, INF);
        echo "not here\n";', [$server->dsn()]);
    $child->expect('~waiting~');
    usleep(200000);
    $start = now();
    $child->signal(SIGUSR1);
    $output = $child->output();
    check('at once', now() - $start < slack(3.0), now() - $start);
    matches('output', $message, $output);
    matches('the object works in a shutdown function', '~shutdown \[true,null\]~', $output);
    check('it went no further', !str_contains($output, 'not here'), $output);
    same('status', 255, $child->status());
    $server->cmd('DEL', 'k');
    usleep(250000);
    same('keys', [], $server->locks());
}

done();
?>
--EXPECT--
ok
