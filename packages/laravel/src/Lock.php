<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Cache\Lock as CacheLock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use RedisLock;
use RedisLockException;

/**
 * A cache lock whose owner is the token of the extension redislock. So it belongs to the owner, not
 * to this object or process: it stays when the object dies, and restoreLock() continues it in
 * another process.
 */
class Lock extends CacheLock
{
    /**
     * What Laravel's 0 seconds, "without an end", become: the longest TTL of the extension. A lease
     * could be renewed without an end, but it would be freed with its object or process.
     */
    public const LONGEST_SECONDS = 366 * 86400;

    /**
     * @param string $name with all prefixes of Laravel's cache
     * @param int|float|string|null $seconds the TTL; 0 = the longest TTL. All seconds here may be
     *   strings, as settings of .env are
     * @param string|null $ownerOfCaller null = each acquisition has a fresh owner. Then the
     *   extension frees the lock when the answer of the server is lost, or a release fails
     */
    public function __construct(
        private readonly RedisLock $redisLock,
        $name,
        $seconds,
        private ?string $ownerOfCaller = null,
    ) {
        $owner = $ownerOfCaller ?? RedisLock::token();
        parent::__construct($name, self::whole($seconds), $owner);
    }

    /** @return bool */
    public function acquire()
    {
        return $this->acquireWithin(0.0);
    }

    /**
     * Waits until the lock is free. A release wakes the waiters in order of arrival.
     *
     * @param int|float|string $seconds
     * @param callable|null $callback
     * @return mixed
     */
    public function block($seconds, $callback = null)
    {
        if (!$this->acquireWithin(max(0.0, (float) $seconds))) {
            throw new LockTimeoutException(
                "could not acquire the lock \"$this->name\" within $seconds s: it is held");
        }
        if (!is_callable($callback)) {
            return true;
        }
        try {
            return $callback();
        } finally {
            $this->release();
        }
    }

    /** @return bool */
    public function release()
    {
        try {
            return $this->redisLock->release($this->name, $this->owner);
        } catch (RedisLockException $e) {
            /* The extension may repeat the release, and would free a later lock of the owner. */
            $this->ownerOfCaller = null;
            throw $e;
        }
    }

    /** @return void */
    public function forceRelease()
    {
        $this->redisLock->forceRelease($this->name);
    }

    /**
     * Sets a new TTL, which counts from now.
     *
     * @param int|float|string|null $seconds null = the seconds of this lock
     * @return bool
     */
    public function refresh($seconds = null)
    {
        $ttl = self::ttl(self::whole($seconds ?? $this->seconds));
        return $this->redisLock->extend($this->name, $this->owner, $ttl);
    }

    /**
     * @return string|null null = nobody has the lock, as in Laravel's own locks
     * @psalm-suppress ImplementedReturnTypeMismatch
     */
    protected function getCurrentOwner()
    {
        return $this->redisLock->owner($this->name);
    }

    private function acquireWithin(float $wait): bool
    {
        $ttl = self::ttl($this->seconds);
        $owner = $this->redisLock->acquire($this->name, $ttl, $wait, $this->ownerOfCaller);
        $this->owner = $owner ?? $this->owner;
        return $owner !== null;
    }

    private static function whole(int|float|string|null $seconds): int
    {
        return (int) ceil((float) $seconds);
    }

    /** @internal the TTL of so many seconds of Laravel */
    public static function ttl(int $seconds): float
    {
        $longest = self::LONGEST_SECONDS;
        return (float) ($seconds > 0 ? min($seconds, $longest) : $longest);
    }
}
