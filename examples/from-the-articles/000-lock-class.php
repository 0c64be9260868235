<?php
/*
 * Document 000: a static class with key, value and expiry. One SET NX PX takes the lock. One script frees it, only
 * with the value of the holder.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 php -d extension=redislock 000-lock-class.php
 */

namespace app\common\library;

use RedisLock;

class Lock
{
    private static ?RedisLock $redis = null;

    private static function redis(): RedisLock
    {
        return self::$redis ??= new RedisLock(getenv('REDIS_URL') ?: null);
    }

    /**
     * @return bool true = locked; false = another holder has the lock
     * @throws \RedisLockException when Redis could not be asked, which is no refusal
     */
    public static function lock(string $key, #[\SensitiveParameter] string $value,
        int $expires): bool
    {
        return self::redis()->acquire($key, $expires, token: $value) !== null;
    }

    /** @return int 1 = freed; 0 = no longer held with this value */
    public static function unlock(string $key, #[\SensitiveParameter] string $value): int
    {
        return (int) self::redis()->release($key, $value);
    }

    public static function generateValue(): string
    {
        return RedisLock::token();
    }
}

/* ---- used as in the document ---- */

$key = 'lock:goods:1';
$value = Lock::generateValue();
if (Lock::lock($key, $value, 300)) {
    try {
        echo "working\n";
    } finally {
        echo Lock::unlock($key, $value) === 1 ? "freed\n" : "it took longer than 300 seconds\n";
    }
} else {
    echo "another process is at work\n";
}
