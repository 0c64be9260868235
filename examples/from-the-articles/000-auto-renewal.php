<?php
/*
 * Document 000 ends with a question: the lock has expired, and the work is not done. Its answer is automatic renewal,
 * as in Redisson. Here a lease renews itself, so its expiry is the time that the lock outlives a killed process, and
 * not a guess at the length of the work.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 php -d extension=redislock 000-auto-renewal.php
 */

namespace app\common\library;

use RedisLock;
use RedisLockLease;

class RenewedLock
{
    private static ?RedisLock $redis = null;

    private static function redis(): RedisLock
    {
        return self::$redis ??= new RedisLock(getenv('REDIS_URL') ?: null);
    }

    /**
     * @param float $longest seconds after which the lock is not renewed any more, because a script that hangs must not
     *   hold it without end
     * @return RedisLockLease|null null = another holder has the lock
     */
    public static function lock(string $key, float $expires, float $longest): ?RedisLockLease
    {
        return self::redis()->lease($key, ttl: $expires, maxHold: $longest);
    }
}

/* ---- used as in the document ---- */

$lease = RenewedLock::lock('lock:goods:1', expires: 1, longest: 60);
if ($lease === null) {
    exit("another process is at work\n");
}
try {
    for ($step = 1; $step <= 4; $step++) {
        usleep(500_000);      // in all twice as long as the expiry
        $lease->assertHeld(); // before the step that matters: throws when the lock was lost
        echo "step $step\n";
    }
} finally {
    echo $lease->release() ? "freed\n" : "it was lost\n";
}
