<?php
/* The first argument is the DSN of an empty server. */

function check(bool $holds, string $what): void
{
    if (!$holds) {
        echo "failed: $what\n";
        exit(1);
    }
}

$lock = new RedisLock($argv[1], timeout: 5);
$token = $lock->acquire('k', ttl: 30, wait: 5);
check(is_string($token), 'a free lock is granted');
check($lock->acquire('k', ttl: 30) === null, 'a held lock is refused');
check($lock->remaining('k') > 20, 'the lock has its TTL');
check($lock->release('k', $token), 'the token releases the lock');

$lease = $lock->lease('k', ttl: 1);
usleep(1_500_000);
check($lease->verify(), 'a lease is renewed beyond its TTL');
unset($lease);
check(!$lock->isLocked('k'), 'the lease is released with its object');
echo 'ok ', PHP_VERSION, ' ', phpversion('redislock'), "\n";
