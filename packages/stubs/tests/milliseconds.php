<?php

/* Times that are meant as milliseconds, which a rule of this package must find: in each line that
   says so, and in no other. For PHPStan alone. Never run. */

declare(strict_types=1);

function take(RedisLock $lock, ?RedisLock $other, string $token, RedisLockLease $lease,
    int $n): void
{
    $lock->acquire('k', 30000); // in ms: the TTL
    $lock->acquire('k', ttl: 5000, wait: 2); // in ms: by name
    $lock->acquire('k', 30, 3000.0); // in ms: the wait
    $kept = $lock->lease('k', wait: 10_000); // in ms: a lease
    $more = $other?->lease('k', 60000); // in ms: with ?->
    $lock->synchronized('k', static fn (): int => 1, 10000, 2); // in ms: synchronized()
    $lock->once('k', static fn (): int => 1, 60, 30000); // in ms: once()
    $again = $lock->resume('k', $token, 30000); // in ms: resume()
    $lock->extend('k', $token, 30000); // in ms: extend()
    $lease->extend(30000); // in ms: of a lease
    $milliseconds = 15000;
    $lock->acquire('k', $milliseconds); // in ms: a variable
    $lock->acquire('k', 36000);
    $lock->acquire('k', 86400);
    $lock->acquire('k', 900);
    $lock->acquire('k', 30, INF);
    $lock->acquire('k', $n * 1000);
    $lock->once('k', static fn (): int => 1, for: 604000);
    foreach ([$kept, $more, $again] as $one) {
        $one?->release();
    }
}
