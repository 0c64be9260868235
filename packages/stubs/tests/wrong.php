<?php

/* Mistakes that PHPStan and Psalm must find: in each line that says so, and in no other. Never
   run. */

declare(strict_types=1);

function wrong_calls(RedisLock $lock): void
{
    new RedisLock(['a' => 'redis://a']); // a mistake: no list
    new RedisLock(tls: ['verify_peer' => 'yes']); // a mistake: no bool
    $lock->release('k', $lock->acquire('k')); // a mistake: may be null
    $lock->lease('k')->release(); // a mistake: may be null
    $lock->lease('k', onLoss: static fn (int $lease): int => $lease); // a mistake: no lease
    $lock->lock('k'); // a mistake: no such method
    new RedisLockLease(); // a mistake: private
    strlen($lock->synchronized('k', static fn (): int => 42)); // a mistake: no string
}
