--TEST--
Several servers in memory are a Redlock: a majority grants, also when a minority fails in any way; without a majority each call fails.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

foreach (['refused', 'timeout', 'readonly', 'lost-reply'] as $n => $fault) {
    $names = ["a$n", "b$n", "c$n"];
    $dsns = array_map(fn ($name) => "memory://$name", $names);
    $well = new RedisLock($dsns);
    $minority = new RedisLock([$dsns[0], $dsns[1], "$dsns[2]?fail=$fault&timeout=0.1"]);
    $majority = new RedisLock([$dsns[0], "$dsns[1]?fail=$fault&timeout=0.1",
        "$dsns[2]?fail=$fault&timeout=0.1"]);

    $token = $minority->acquire('k', 10);
    check("$fault: a majority grants it", is_string($token));
    same("$fault: others are refused", null, $well->acquire('k', 10));
    same("$fault: owner()", $token, $well->owner('k'));
    same("$fault: the first member has it", $token, (new RedisLock($dsns[0]))->owner('k'));
    same("$fault: extend()", true, $minority->extend('k', $token, 20));
    RedisLock::advance(12);
    same("$fault: release()", true, $minority->release('k', $token));
    check("$fault: it is free", is_string($again = $well->acquire('k', 10)));
    $well->release('k', $again);

    throws("$fault: without a majority", $fault === 'readonly' ? RedisLockServerException::class
        : RedisLockConnectionException::class, '~~', fn () => $majority->acquire('k', 10));
    RedisLock::advance(11);
    same("$fault: nothing is left", false, $well->isLocked('k'));

    /* The watchdog keeps a lease by the majority, and loses it with the majority. */
    $lease = $minority->lease('k', 9);
    RedisLock::advance(60);
    check("$fault: the lease is renewed", $lease->isHeld());
    (new RedisLock($dsns[0]))->forceRelease('k');
    (new RedisLock($dsns[1]))->forceRelease('k');
    RedisLock::advance(10);
    same("$fault: the lease is lost", false, $lease->isHeld());
    same("$fault: loss()", true, $lease->loss() !== null);
}

/* Two members on one server would undo each other's grants. */
foreach (['', '?fail=readonly'] as $fault) {
    throws('a server twice', ValueError::class, '~the same server is given twice~',
        fn () => new RedisLock(['memory://a', 'memory://b', "memory://a$fault"]));
}

done();
?>
--EXPECT--
ok
