--TEST--
An exception of $abort goes out as it is, and exit or a fatal error in it ends the script; each leaves nothing behind.
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
$lock = new RedisLock($server->dsn(), retryMaxDelay: 0.05);
$held = hold($server, 'k');
$section = fn () => print "the section was called\n";
$abort = fn () => throw new DomainException('no more');
$calls = [
    'acquire()' => fn ($abort) => $lock->acquire('k', wait: 60, abort: $abort),
    'acquire(), own token' =>
        fn ($abort) => $lock->acquire('k', wait: 60, token: 'mine', abort: $abort),
    'lease()' => fn ($abort) => $lock->lease('k', wait: INF, abort: $abort),
    'synchronized()' => fn ($abort) => $lock->synchronized('k', $section, wait: 60, abort: $abort),
];
foreach ($calls as $what => $call) {
    throws($what, 'DomainException', '~^no more$~', fn () => $call($abort), slack(3.0));
    $asked = 0;
    $second = function () use (&$asked): bool {
        return ++$asked === 2 && throw new DomainException('then no more');
    };
    throws("$what, from the queue", 'DomainException', '~^then no more$~',
        fn () => $call($second), slack(5.0));
    queued($server, 0);
}

/* An exception after the lock was granted to the place: it is undone. */
$asked = 0;
$abort = function () use (&$asked, $lock, $server, $held): bool {
    if (++$asked < 2) {
        return false;
    }
    queued($server, 1);
    same('release()', true, $lock->release('k', $held));
    check('it is granted', !in_array($lock->owner('k'), [$held, null], true));
    throw new DomainException('too late');
};
throws('with a grant', 'DomainException', '~too late~',
    fn () => $lock->acquire('k', 60, 60, abort: $abort), slack(5.0));
eventually('it is undone', fn () => $server->locks() === []);

/* Like a signal handler, the callable cannot switch Fibers. */
$held = hold($server, 'k');
$seen = null;
$abort = function () use (&$seen): bool {
    try {
        Fiber::suspend();
    } catch (FiberError $error) {
        $seen = $error->getMessage();
    }
    return true;
};
$fiber = new Fiber(fn () => $lock->acquire('k', wait: 60, abort: $abort));
$fiber->start();
same('the Fiber has ended', true, $fiber->isTerminated());
same('acquire()', null, $fiber->getReturn());
matches('FiberError', '~Cannot switch fibers~', (string) $seen);
$fiber = new Fiber(fn () => $lock->acquire('k', wait: 60, abort: fn () => Fiber::suspend()));
throws('suspend()', 'FiberError', '~Cannot switch fibers~', fn () => $fiber->start(), slack(3.0));
$fiber = new Fiber(function () use ($lock): void {
    same('acquire()', null, $lock->acquire('k', wait: 60, abort: fn () => true));
    Fiber::suspend('afterwards'); // is allowed again
});
same('suspend() after the wait', 'afterwards', $fiber->start());
unset($fiber);

/* The script ends. */
foreach ([
    ['exit(3);', 3, '~^waiting\nshutdown \[true,null\]\n$~D'],
    ['die("dead\n");', 0, '~^waiting\ndead\nshutdown \[true,null\]\n$~D'],
    ['throw new DomainException("uncaught");', 255,
        '~finally\n.*uncaught.*shutdown \[true,null\]~s'],
    ['str_repeat("x", 1 << 30);', 255, '~Allowed memory size.*shutdown \[true,null\]~s'],
    ['trigger_error("stop here", E_USER_ERROR);', 255, '~stop here.*shutdown \[true,null\]~s'],
] as [$body, $status, $output]) {
    $child = start_php('
        register_shutdown_function(function () use (&$lock) {
            echo "shutdown ", json_encode([$lock->isLocked("k"), $lock->acquire("k")]), "\n";
        });
        $lock = new RedisLock($argv[1]);
        echo "waiting\n";
        $asked = 0;
        try {
            $ignored = $lock->lease("k", 60, INF, abort: function () use (&$asked) {
                if (++$asked === 2) { ' . $body . ' }
            });
            echo "not here\n";
        } finally {
            echo "finally\n";
        }', [$server->dsn()]);
    $seen = $child->output();
    matches($body, $output, $seen);
    check("$body: no further", !str_contains($seen, 'not here'), $seen);
    same("$body: status", $status, $child->status());
    same("$body: keys", ['0:k'], $server->locks());
    queued($server, 0);
}
$server->cmd('DEL', 'k');
usleep(300_000);
same('keys', [], $server->locks());
same('the object still works', true, $lock->release('k', $lock->acquire('k', wait: 1)));

done();
?>
--EXPECT--
ok
