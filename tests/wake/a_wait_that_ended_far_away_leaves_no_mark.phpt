--TEST--
A wait for a server that is 20 ms away leaves no mark, however it ended: the next release leaves the lock free.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the test is about the way to one server');
skip_by_tls('the bytes go through a process that knows no TLS');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';
require __DIR__ . '/../inc/distance.inc';

$server = start_server(tcp: true);
$distance = new Distance($server, 0.02);
$near = new RedisLock($server->dsn());
$signal = fn (string $body) => "pcntl_signal(SIGUSR1, function () { $body });";
$ends = [
    'an exception' => [$signal('throw new DomainException("stop");'), 'wait: 60'],
    'exit' => [$signal('exit;'), 'wait: 60'],
    'a fatal error' => [$signal('trigger_error("stop", E_USER_ERROR);'), 'wait: 60'],
    'abort' => [$signal('$GLOBALS["stop"] = true;'), 'wait: 60, abort: fn () => $GLOBALS["stop"]'],
    'its deadline' => ['', 'wait: ' . room(0.5)],
    'SIGTERM' => ['$lease = $lock->lease("another");', 'wait: 60'],
];
foreach (ends_that_free($ends) as $what => [$begin, $arguments]) {
    /* The end of a script has 250 ms. */
    undisturbed(0.1, function () use ($server, $distance, $near, $what, $begin,
            $arguments): void {
        $token = hold($server, 'k');
        /* Except for SIGTERM the process lives on, because its end would end its connections,
         * too. */
        $child = start_php('
            pcntl_async_signals(true);
            $stop = false;
            function live_on() { static $times = 0;
                if ($times++ === 0) { echo "ended\n"; fgets(STDIN); } }
            $lock = new RedisLock($argv[1], timeout: (float) $argv[2]);
            ' . $begin . '
            register_shutdown_function("live_on");
            try {
                $ignored = $lock->acquire("k", ' . $arguments . ');
            } catch (DomainException) {
            }
            live_on();', [$distance->dsn(), slack(1.0)]);
        queued($server, 1);
        same("$what: it is marked", 1, count(marked($server, 'k')));
        $server->cmd('CONFIG', 'RESETSTAT');
        if ($what === 'SIGTERM') {
            $child->signal(SIGTERM);
            $child->output();
        } else {
            if ($begin !== '') {
                $child->signal(SIGUSR1);
            }
            $child->expect('~^ended~m');
        }
        eventually("$what: it is not marked any more", fn () => marked($server, 'k') === []);
        check("$what: the wait has removed the mark, which did not end by itself",
            isset($server->client()->info('commandstats')['cmdstat_zrem']));
        same("$what: release()", true, $near->release('k', $token));
        same("$what: the lock is free", null, $server->cmd('GET', 'k'));
        if ($what !== 'SIGTERM') {
            $child->tell('');
            $child->output();
        }
    });
}

done();
?>
--EXPECT--
ok
