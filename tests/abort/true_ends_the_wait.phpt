--TEST--
If $abort returns true, the wait ends at once without the lock, and gives up its place in the queue.
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
$lock = new RedisLock($server->dsn());
$held = hold($server, 'k');
$asked = 0;
$abort = function () use (&$asked): bool {
    same('no arguments', [], func_get_args());
    return ++$asked === 2; // the second time, when it has its place
};
$section = fn () => print "the section was called\n";
$calls = [
    'acquire()' => fn () => $lock->acquire('k', 30, INF, null, $abort),
    'acquire(), own token' => fn () => $lock->acquire('k', wait: 60, token: 'mine', abort: $abort),
    'lease()' => fn () => $lock->lease('k', 30, INF, true, null, null, null, $abort),
    'lease(), own token' => fn () => $lock->lease('k', wait: 60, token: 'mine', abort: $abort),
];
foreach ($calls as $what => $call) {
    $asked = 0;
    $before = RedisLock::stats();
    between("$what: seconds", 0.9, slack(3.0), elapsed($call, $result));
    $after = RedisLock::stats();
    same($what, null, $result);
    same("$what: asked", 2, $asked);
    queued($server, 0);
    same("$what: timed_out", 1, $after['timed_out'] - $before['timed_out']);
    same("$what: failed", 0, $after['failed'] - $before['failed']);
    between("$what: waited", 0.9, slack(3.0),
        $after['wait_time']['sum'] - $before['wait_time']['sum']);
}
$asked = 0;
throws('synchronized()', 'RedisLockTimeoutException',
    '~^could not acquire the lock "k": the argument \$abort has ended the wait$~',
    fn () => $lock->synchronized('k', $section, 30, 60, true, null, null, $abort), slack(3.0));
same('synchronized(): asked', 2, $asked);
throws('synchronized(), by name', 'RedisLockTimeoutException', '~\$abort~',
    fn () => $lock->synchronized('k', $section, wait: 60, abort: fn () => true), slack(3.0));

/* Without a place in the queue. */
$polling = new RedisLock($server->dsn(), wake: false);
$asked = 0;
same('polling', null, $polling->acquire('k', wait: 60, abort: $abort));
same('polling: asked', 2, $asked);

/* The release wakes the next waiter, and the key is free afterwards. */
same('the holder is the same', $held, $lock->owner('k'));
$next = waiter($server->dsn(), 'k');
queued($server, 1);
hand_to_waiter($lock, 'k', $held, $next, 0.5);
usleep(300_000);
same('keys', [], $server->locks());

same('the object still works', true, $lock->release('k', $lock->acquire('k', wait: 1)));

done();
?>
--EXPECT--
ok
