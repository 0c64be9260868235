--TEST--
$abort ends a wait also when the server hangs or is gone, with null and no exception.
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
require_once __DIR__ . '/../inc/topology.inc';

$server = start_server();
hold($server, 'k');
pcntl_async_signals(true);
$stop = false;
pcntl_signal(SIGUSR1, function () use (&$stop): void {
    $stop = true;
});

/* The server hangs while the waiter looks at the lock. The call waits 30 s for an answer. */
$lock = new RedisLock($server->dsn(), timeout: 30);
$asked = 0;
$sender = null;
$abort = function () use (&$asked, &$stop, &$sender, $server): bool {
    if (++$asked === 1) {
        $server->pause();
        $sender = signal_later(SIGUSR1, 1.5);
    }
    return $stop;
};
$took = elapsed(fn () => $lock->acquire('k', wait: INF, abort: $abort), $token);
$sender->finish();
same('a server that hangs', null, $token);
between('seconds', 1.0, slack(5.0), $took);
$server->resume();
$lock->close();
queued($server, 0);

/* The server is gone. */
$lock = new RedisLock($server->dsn());
$stop = false;
$asked = 0;
same('a server that is gone', null, $lock->lease('k', wait: INF,
    abort: function () use (&$asked, $server): bool {
        if (++$asked === 1) {
            $server->kill();
        }
        return $asked === 3;
    }));
same('asked', 3, $asked);
same('from the start', null, $lock->acquire('k', wait: INF, abort: fn () => true));
throws('synchronized()', 'RedisLockTimeoutException', '~\$abort~',
    fn () => $lock->synchronized('k', fn () => 1, wait: INF, abort: fn () => true), slack(3.0));
throws('without it', 'RedisLockConnectionException', '~.~',
    fn () => $lock->acquire('k', wait: 0.1, abort: fn () => false), slack(3.0));

done();
?>
--EXPECT--
ok
