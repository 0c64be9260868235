--TEST--
Without a quorum of servers every verb throws an exception whose message and reasons name each dead server, and no key stays.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

foreach ([3 => [0, 2], 5 => [0, 1, 4], 2 => [1], 4 => [1, 2]] as $n => $dead) {
    $members = start_members($n);
    $members->kill(...$dead);
    $alive = array_values(array_diff(range(0, $n - 1), $dead));
    $named = array_map(fn (int $i) => $members->servers[$i], $dead);
    $lock = $members->lock();
    $token = RedisLock::token();
    $calls = [
        'acquire()' => fn () => $lock->acquire('k', 30),
        'acquire() with a token' => fn () => $lock->acquire('k', 30, token: $token),
        'lease()' => fn () => $lock->lease('k', 30),
        'synchronized()' => fn () => $lock->synchronized('k', fn () => print "it was called\n", 30),
    ];
    /* Half of an even number of members is enough for a refusal. */
    if ($n % 2 === 1) {
        $calls += [
            'extend()' => fn () => $lock->extend('k', $token, 30),
            'resume()' => fn () => $lock->resume('k', $token, 30),
            'release()' => fn () => $lock->release('k', $token),
            'isLocked()' => fn () => $lock->isLocked('k'),
            'owner()' => fn () => $lock->owner('k'),
            'remaining()' => fn () => $lock->remaining('k'),
            'forceRelease()' => fn () => $lock->forceRelease('k'),
        ];
    }
    foreach ($calls as $what => $call) {
        $thrown = fails_by("N = $n, $what", $named, $call, 1.0);
        $code = run_folder() === null ? 2 : 111; // ENOENT: the socket is gone; ECONNREFUSED
        same("N = $n, $what: code", $code, $thrown?->getCode());
        $members->empty("N = $n, $what", $alive, 1.0);
        $members->servers[$alive[0]]->cmd('FLUSHALL');
        $members->servers[end($alive)]->cmd('FLUSHALL');
    }

    /* The members that are left are released all the same. */
    $members->occupy('k', $token, ...$alive);
    fails_by("N = $n, release() of what the rest has", $named,
        fn () => $lock->release('k', $token), 1.0);
    $members->empty("N = $n, release() of what the rest has", $alive, 1.0);
}

done();
?>
--EXPECT--
ok
