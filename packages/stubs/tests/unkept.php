<?php

/* Leases that no code keeps, which the rule of this package must find: in each line that says so,
   and in no other. For PHPStan alone. Never run. */

declare(strict_types=1);

/** @param list<string> $keys */
function drop_leases(RedisLock $lock, ?RedisLock $other, string $token, array $keys): void
{
    $lock->lease('k'); // unkept: a statement of its own
    @$lock->lease('k'); // unkept: @
    $other?->lease('k'); // unkept: the same with ?->
    $lock->resume('k', $token); // unkept: resume()
    $lock->lease($keys, wait: 5); // unkept: several keys
    $lock->lease('k') ?? throw new LogicException('busy'); // unkept: ?? without a variable
    $lock->lease('k') ?: exit(1); // unkept: ?: without a variable
    $keys === [] ? $lock->lease('a') : drop_leases($lock, $other, $token, []); // unkept: a branch
    $keys === [] && $lock->lease('k'); // unkept: &&
    if ($lock->lease('k')) { // unkept: if
        echo 'work';
    } elseif (!$lock->resume('k', $token)) { // unkept: elseif and !
        echo 'busy';
    }
    if ($lock->lease('k') === null) { // unkept: a comparison
        return;
    }
    if ($lock->lease('k') instanceof RedisLockLease) { // unkept: instanceof
        echo 'work';
    }
    if (is_null($lock->lease('k'))) { // unkept: a function that only looks
        return;
    }
    if ($lock->lease('k')?->isHeld() === true) { // unkept: a method of the lease
        echo 'work';
    }
    while ($lock->lease('k')) { // unkept: while
        echo 'work';
    }
    do {
        echo 'work';
    } while ((bool) $lock->lease('k')); // unkept: do and (bool)
    for (; $lock->lease('k') !== null;) { // unkept: for
        echo 'work';
    }
    switch ($lock->lease('k')) { // unkept: switch
        case null:
            return;
    }
    echo match ($lock->lease('k')) { // unkept: match
        null => 'busy',
        default => 'work',
    };
    match (true) {
        $keys === [] => $lock->lease('k'), // unkept: an arm of a match that is a statement
        default => null,
    };
    echo $lock->lease('k') ? 'work' : 'busy'; // unkept: ?:
    $isOurs = $lock->lease('k') !== null; // unkept: the answer is kept, the lease is not
    echo $isOurs ? 'work' : 'busy';
}

final class Keeper
{
    /** @var list<RedisLockLease|null> */
    private array $leases = [];

    public function __construct(private readonly ?RedisLockLease $lease)
    {
    }

    /** @return Generator<int, RedisLockLease|null> */
    public function keep(RedisLock $lock, string $token): Generator
    {
        $lease = $lock->lease('k');
        if ($second = $lock->lease('l')) {
            echo $second->key();
        }
        if (($third = $lock->lease('m')) === null) {
            return;
        }
        while (($next = @$lock->resume('n', $token)) !== null) {
            echo $next->key();
        }
        $fourth = $lock->lease('o') ?? throw new LogicException('busy');
        $this->leases[] = $lock->lease('p');
        $this->leases = [...$this->leases, $lock->lease('q'), $lease, $third, $fourth];
        $keeper = new self($lock->lease('r'));
        self::hold($lock->lease('s'), $keeper->lease);
        yield $lock->lease('t');
        $fifth = $token === '' ? $lock->lease('u') : null;
        $sixth = match ($token) {
            '' => null,
            default => $lock->resume('v', $token),
        };
        self::hold($fifth, $sixth);
        echo $lock->lease('w')?->detach();
        $lock->lease('x', wait: 60)?->release();        // a barrier
        $take = static fn (): ?RedisLockLease => $lock->lease('y');
        self::hold($take(), null);
        (new OtherLock())->lease('z');
    }

    private static function hold(?RedisLockLease $lease, ?RedisLockLease $other): void
    {
        echo $lease?->key(), $other?->key();
    }

    public function lease(RedisLock $lock): ?RedisLockLease
    {
        return $this->lease ?? $lock->lease('k');
    }
}

/** Has a method of that name, and is no RedisLock. */
final class OtherLock
{
    public function lease(string $key): void
    {
        echo $key;
    }
}
