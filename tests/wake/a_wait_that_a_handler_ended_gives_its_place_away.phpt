--TEST--
A wait that was ended by an exception, exit or fatal error of a handler takes nothing any more, and the next waiter is woken.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$ends = [
    'an exception' => 'throw new DomainException("stop");',
    'exit' => 'exit;',
    'a fatal error' => 'trigger_error("stop", E_USER_ERROR);',
    'no memory' => 'str_repeat("x", 1 << 30);',
];
if (under_valgrind()) {
    unset($ends['no memory']); /* it replaces the allocator that minds the limit */
}
foreach ($ends as $what => $body) {
    foreach (['null', '"mine"'] as $own) {
        $token = hold($server, 'k');
        /* The process lives on: its end would close the connection anyway. */
        $ended = start_php('
            pcntl_async_signals(true);
            pcntl_signal(SIGUSR1, function () { ' . $body . ' });
            function live_on() { static $times = 0;
                if ($times++ === 0) { echo "ended\n"; fgets(STDIN); } }
            register_shutdown_function("live_on");
            $lock = new RedisLock($argv[1]);
            try {
                $ignored = $lock->acquire("k", 60, INF, ' . $own . ');
                echo "not here\n";
            } catch (DomainException) {
                live_on();
            }', [$server->dsn()]);
        queued($server, 1);
        $next = waiter($server->dsn(), 'k');
        queued($server, 2);
        $ended->signal(SIGUSR1);
        $ended->expect('~^ended~m');
        queued($server, 1);
        eventually('only the next one is marked', fn () => count(marked($server, 'k')) === 1, 0.5);
        $released = now();
        same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
        $result = $next->result();
        check("$what: woken at once", $result['stats']['wake_ups'] === 1
            && $result['at'] - $released <= slack(0.5), [$result, $released]);
        $ended->tell('');
        check('it went no further', !str_contains($ended->output(), 'not here'));
        same('the lock is the next one\'s', $result['token'], $server->cmd('GET', 'k'));
    }
}

done();
?>
--EXPECT--
ok
