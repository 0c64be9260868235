<?php
/*
 * Document 004: no order is created twice. tryLock() retries five times at most, after delays of about 10 ms, doubled
 * each time, up to 200 ms, each spread by 20 %.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 php -d extension=redislock 004-try-lock.php
 */

class OrderGuard
{
    private RedisLock $lock;

    public function __construct()
    {
        $this->lock = new RedisLock(
            getenv('REDIS_URL') ?: null,
            retryDelay: 0.01,
            retryMaxDelay: 0.2,
            jitter: 0.2,
            retries: 5,
        );
    }

    /** @param float $patience seconds after which the call gives up in any case */
    public function tryLock(string $key, #[SensitiveParameter] string $value, float $ttl, float $patience = 1.0): bool
    {
        return $this->lock->acquire($key, $ttl, wait: $patience, token: $value) !== null;
    }

    /** @return int 1 = freed; 0 = the lock had expired, or another holder has it. Do not ignore it. */
    public function unlock(string $key, #[SensitiveParameter] string $value): int
    {
        return (int) $this->lock->release($key, $value);
    }
}

/* ---- used as in the document ---- */

$userId = 42;
$key = "lock:order:create:{$userId}";
$value = RedisLock::token(); // uniqid('', true) also works, as long as two holders never share it
$guard = new OrderGuard();

if (!$guard->tryLock($key, $value, ttl: 10)) { // the TTL: two or three times the longest time that the work takes
    exit("please do not click twice\n");
}
try {
    echo "the order is created\n";
} finally {
    if ($guard->unlock($key, $value) === 0) {
        error_log("creating an order for $userId took longer than its lock");
    }
}
