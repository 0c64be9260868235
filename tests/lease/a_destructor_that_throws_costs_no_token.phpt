--TEST--
An exception of a destructor, of an onLoss callable or of an argument, takes the place of no token: the lock is free, or the lease still has it.
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

/** A callable, and a string, whose destructor runs code. */
final class Last
{
    public function __construct(private Closure $last)
    {
    }

    public function __invoke(): void
    {
    }

    public function __toString(): string
    {
        return 'k';
    }

    public function __destruct()
    {
        ($this->last)();
    }
}

$server = start_server();
$lock = new RedisLock($server->dsn());
$throwing = fn () => new Last(fn () => throw new DomainException('the last word'));
$take = fn (bool $renew, ?callable $last = null) => $lock->lease('k', 60, renew: $renew,
    onLoss: $last === null ? $throwing() : new Last($last));

foreach ([true, false] as $renew) {
    /* detach(): the lease keeps its lock, and can be detached without the callable. */
    $lease = $take($renew);
    throws('detach()', 'DomainException', '~^the last word$~', $lease->detach(...));
    same('the lease is held', [true, true, null],
        [$lease->isHeld(), $lease->verify(), $lease->loss()]);
    $token = $lease->detach();
    same('the token', $lock->owner('k'), $token);
    unset($lease);
    same('release()', true, $lock->release('k', $token));

    /* The destructor ends the lease itself. */
    $lease = $take($renew, function () use (&$lease): void {
        $lease->release();
    });
    throws('detach() of what the destructor has released', 'RedisLockLostException',
        '~it was released~', $lease->detach(...));
    same('keys', [], $server->locks());
    $detached = null;
    $lease = $take($renew, function () use (&$lease, &$detached): void {
        $detached = $lease->detach();
    });
    throws('detach() of what the destructor has detached', 'RedisLockLostException',
        '~given away~', $lease->detach(...));
    same('the token of the destructor', true, $lock->release('k', (string) $detached));

    /* release() has freed the lock. */
    $lease = $take($renew);
    throws('release()', 'DomainException', '~^the last word$~', $lease->release(...));
    same('release(): keys', [], $server->locks());
    same('release(): loss', RedisLockLoss::Released, $lease->loss());

    /* extend() and verify() find the loss, and drop the callable. */
    foreach (['extend()' => fn ($lease) => $lease->extend(60),
            'verify()' => fn ($lease) => $lease->verify()] as $what => $call) {
        $lease = $take($renew);
        $server->cmd('DEL', 'k');
        throws($what, 'DomainException', '~^the last word$~', fn () => $call($lease));
        same("$what: loss", RedisLockLoss::Deleted, $lease->loss());
        unset($lease);
    }

    /* The end of a section. */
    throws('synchronized()', 'DomainException', '~^the last word$~', function () use ($lock,
            $renew, $throwing): void {
        $lock->synchronized('k', fn () => 'result', 60, 0, $renew, null, $throwing());
    });
    same('synchronized(): keys', [], $server->locks());

    /* The end of the object. */
    throws('the end of the object', 'DomainException', '~^the last word$~', function () use ($take,
            $renew): void {
        $lease = $take($renew);
        unset($lease);
    });
    same('the end of the object: keys', [], $server->locks());
}

/* A key that is converted to a string, and freed before the method begins. */
$calls = [
    'acquire()' => fn () => $lock->acquire($throwing()),
    'lease()' => fn () => $lock->lease($throwing()),
    'lease(), renew: false' => fn () => $lock->lease($throwing(), renew: false),
    'synchronized()' =>
        fn () => $lock->synchronized($throwing(), fn () => check('no section', false)),
];
foreach ($calls as $what => $call) {
    throws($what, 'DomainException', '~^the last word$~', $call);
    same("$what: keys", [], $server->locks());
}
$token = $lock->acquire('k');
throws('resume()', 'DomainException', '~^the last word$~',
    fn () => $lock->resume($throwing(), $token));
same('resume(): the token is valid', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
