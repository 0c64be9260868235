--TEST--
memory://?fail= refuses connections, answers nothing, answers as a replica, or loses its reply; other objects are not concerned.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

$expected = [
    'refused' => [RedisLockConnectionException::class,
        '~^memory://refused-\w+\?fail=refused: cannot connect: Connection refused~'],
    'timeout' => [RedisLockConnectionException::class,
        '~^memory://timeout-\w+\?fail=timeout: no answer within 0\.05 s~'],
    'readonly' => [RedisLockServerException::class, '~READONLY~'],
    'lost-reply' => [RedisLockConnectionException::class,
        '~closed the connection|the connection broke before the answer~'],
];
$calls = [
    'acquire' => fn ($lock) => $lock->acquire('free', 5),
    'lease' => fn ($lock) => $lock->lease('free', 5),
    'release' => fn ($lock) => $lock->release('held', 'token'),
    'extend' => fn ($lock) => $lock->extend('held', 'token', 5),
    'forceRelease' => fn ($lock) => $lock->forceRelease('held'),
];
foreach ($expected as $fault => [$class, $regex]) {
    foreach ($calls as $name => $call) {
        /* A server that has seen no call before. */
        $well = new RedisLock("memory://$fault-$name");
        $failing = fn (string $fault) =>
            new RedisLock("memory://$fault-$name?fail=$fault&timeout=0.05", retries: 0);
        check('held', $well->acquire('held', 60, token: 'token') === 'token');
        throws("$fault: $name()", $class, $regex, fn () => $call($failing($fault)));
        $is_run = $fault === 'lost-reply';
        same("$fault: after $name()", $is_run && in_array($name, ['release', 'forceRelease']),
            !$well->isLocked('held'));
        $well->forceRelease('held');
        $well->forceRelease('free');
    }
}

$well = new RedisLock('memory://');
$failing = fn (string $fault) => new RedisLock("memory://?fail=$fault&timeout=0.05", retries: 0);

/* Looks do not write: a replica answers them. */
check('held', $well->acquire('held', 60, token: 'token') === 'token');
same('owner() of a replica', 'token', $failing('readonly')->owner('held'));
throws('owner() whose reply is lost', RedisLockConnectionException::class, '~closed~',
    fn () => $failing('lost-reply')->owner('held'));
same('the lock is there', 'token', $well->owner('held'));

/* The outcome is unknown: the command has run, and its undo, too, whose reply is lost as well. */
throws('a grant whose reply is lost', RedisLockConnectionException::class, '~outcome unknown~',
    fn () => $failing('lost-reply')->acquire('unknown', 5));
RedisLock::advance(6);
same('it ends by its TTL at the latest', false, $well->isLocked('unknown'));

/* A section that cannot have its lock does not run. */
throws('a section', RedisLockConnectionException::class, '~refused~',
    fn () => $failing('refused')->synchronized('free', fn () => 'not run'));

done();
?>
--EXPECT--
ok
