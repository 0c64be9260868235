<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Closure;
use Illuminate\Cache\Lock as CacheLock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use InvalidArgumentException;
use RedisLock;
use RedisLockConnectionException;
use RedisLockException;
use RedisLockLease;
use RedisLockLoss;
use RedisLockLostException;
use RedisLockServerException;
use RedisLockTimeoutException;

/**
 * A cache lock whose owner is the token of the extension redislock. So it belongs to the owner, not
 * to this object or process: it stays when the object dies, and restoreLock() continues it in
 * another process.
 *
 * With a callback the lock is a lease of the extension: it is renewed as long as the callback runs,
 * and its seconds are the time that it outlives a process that was killed.
 */
class Lock extends CacheLock
{
    /**
     * What Laravel's 0 seconds, "without an end", become without a callback: the longest TTL of the
     * extension. A lease would be freed with its object or process.
     *
     * @internal
     */
    public const LONGEST_SECONDS = 366 * 86400;

    /** The bytes of the longest token of the extension. */
    private const LONGEST_OWNER = 4096;

    /** What 0 seconds become with a callback, which is renewed: the extension's default. */
    private const RENEWED_TTL = 30.0;

    /**
     * @internal Cache::lock() calls it
     * @param string $name with all prefixes of Laravel's cache
     * @param int|float|string|null $seconds the TTL; 0 = the longest TTL, or as long as the
     *   callback runs. All seconds here may be strings of numbers, as settings of .env are; what is
     *   no number is an InvalidArgumentException
     * @param string|null $ownerOfCaller null = each acquisition has a fresh owner. Then the
     *   extension frees the lock when the answer of the server is lost, or a release fails
     * @param bool $renew whether the lock is renewed while a callback runs
     * @param (Closure(): bool)|null $isToQuit true ends a wait of block()
     */
    public function __construct(
        private readonly RedisLock $redisLock,
        $name,
        $seconds,
        private ?string $ownerOfCaller = null,
        private readonly bool $renew = true,
        private readonly ?Closure $isToQuit = null,
        private readonly HeldLeases $held = new HeldLeases(),
    ) {
        $owner = $ownerOfCaller ?? RedisLock::token();
        parent::__construct($name, self::whole($seconds), $owner);
    }

    /** @return bool */
    public function acquire()
    {
        return $this->acquireWithin(0.0, null);
    }

    /**
     * Takes the lock if it is free.
     *
     * @param callable|null $callback
     * @return mixed false = it is held; otherwise what the callback returns, or true
     *
     * @throws RedisLockLostException after the callback, if the lock was lost while it ran
     */
    public function get($callback = null)
    {
        if (!$this->renew || !is_callable($callback)) {
            return parent::get($callback);
        }
        return ($this->runWithin(0.0, null, $callback) ?? [false])[0];
    }

    /**
     * Waits until the lock is free. A release wakes the waiters in order of arrival.
     *
     * @param int|float|string $seconds
     * @param callable|null $callback
     * @return mixed
     *
     * @throws LockTimeoutException if the lock was held all the time, or a queue worker is to quit
     * @throws RedisLockLostException after the callback, if the lock was lost while it ran
     */
    public function block($seconds, $callback = null)
    {
        $wait = max(0.0, self::number($seconds));
        $abort = new Abort($this->isToQuit);
        if ($this->renew && is_callable($callback)) {
            $results = $this->runWithin($wait, $abort, $callback)
                ?? throw $this->timeout($abort->text($seconds));
            return $results[0];
        }
        if (!$this->acquireWithin($wait, $abort)) {
            throw $this->timeout($abort->text($seconds));
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

    /**
     * The lease under which a callback of get() or block() runs: isHeld() and assertHeld() ask no
     * server, and fence() is a number with which the data refuses a late writer.
     *
     * @return RedisLockLease|null null = no callback runs under this lock and owner
     */
    public function lease()
    {
        return $this->held->of($this->name, $this->owner);
    }

    /** @return bool */
    public function release()
    {
        if (!$this->isOwnerPossible()) {
            return false;
        }
        try {
            return $this->lease()?->release()
                ?? $this->redisLock->release($this->name, $this->owner);
        } catch (RedisLockException $e) {
            /* The extension may repeat the release, and would free a later lock of the owner. */
            $this->ownerOfCaller = null;
            throw $e;
        }
    }

    /** @return void */
    public function forceRelease()
    {
        $isFreed = false;
        foreach ($this->held->ofName($this->name) as $lease) {
            /* A callback of this process does not lose its lock then, but gives it up. The lease of
             * a nested callback leaves the lock to those around it, so its token frees the lock. */
            $owner = $lease->token();
            $isFreed = $lease->release() || $isFreed;
            $isFreed = $this->redisLock->release($this->name, $owner) || $isFreed;
        }
        /* What is free may have its next holder by now. */
        if (!$isFreed) {
            $this->redisLock->forceRelease($this->name);
        }
    }

    /**
     * Sets a new TTL, which counts from now. In a callback it is also that of later renewals.
     *
     * @param int|float|string|null $seconds null = the seconds of this lock
     * @return bool
     */
    public function refresh($seconds = null)
    {
        $seconds = self::whole($seconds ?? $this->seconds);
        return $this->isOwnerPossible() && ($this->lease()?->extend(self::renewedTtl($seconds))
            ?? $this->redisLock->extend($this->name, $this->owner, self::ttl($seconds)));
    }

    /** The extension takes a lock for no other owner, so restoreLock() cannot have found one. */
    private function isOwnerPossible(): bool
    {
        return !in_array($this->owner, ['', '0'], true)
            && strlen($this->owner) <= self::LONGEST_OWNER;
    }

    /** Whether get() would be refused. Laravel's own locks have this method since Laravel 13. */
    public function isLocked(): bool
    {
        return $this->redisLock->isLocked($this->name);
    }

    /**
     * @return string|null null = nobody has the lock, as in Laravel's own locks
     * @psalm-suppress ImplementedReturnTypeMismatch
     */
    protected function getCurrentOwner()
    {
        return $this->redisLock->owner($this->name);
    }

    private function acquireWithin(float $wait, ?Abort $abort): bool
    {
        try {
            $owner = $this->redisLock->acquire($this->name, self::ttl($this->seconds), $wait,
                $this->ownerOfCaller, $abort);
        } catch (RedisLockException $e) {
            throw $this->inTermsOfLaravel($e);
        }
        if ($owner === null) {
            return false;
        }
        $this->owner = $owner;
        /* A callback has released its lease, and takes the lock again by the same owner. */
        $this->held->set($this->name, $owner, null);
        return true;
    }

    /** @return array{mixed}|null what the callback returns; null = the lock was not free in time */
    private function runWithin(float $wait, ?Abort $abort, callable $callback): ?array
    {
        $isEntered = false;
        $section = function (RedisLockLease $lease) use ($callback, &$isEntered): mixed {
            $isEntered = true;
            return $this->runUnder($lease, $callback);
        };
        $ttl = self::renewedTtl($this->seconds);
        try {
            if ($this->ownerOfCaller === null) {
                return [$this->redisLock->synchronized($this->name, $section, $ttl, $wait,
                    abort: $abort)];
            }
            $lease = $this->redisLock->lease($this->name, $ttl, $wait,
                token: $this->ownerOfCaller, abort: $abort);
        } catch (RedisLockException $e) {
            if ($isEntered) {
                throw $e;
            }
            return $e instanceof RedisLockTimeoutException ? null
                : throw $this->inTermsOfLaravel($e);
        }
        return $lease === null ? null : [$this->runUnderOwn($lease, $section)];
    }

    /**
     * Ends as synchronized() does, which cannot be given an owner.
     *
     * @param Closure(RedisLockLease): mixed $section
     */
    private function runUnderOwn(RedisLockLease $lease, Closure $section): mixed
    {
        $isFreed = true;
        $isDone = false;
        try {
            /** @var mixed $result */
            $result = $section($lease);
            if ($lease->loss() === RedisLockLoss::Released) {
                return $result;
            }
            $lease->assertHeld();
            $isDone = true;
        } finally {
            try {
                $isFreed = $lease->release();
            } catch (RedisLockConnectionException|RedisLockServerException $e) {
                /* The work is done, or has failed by itself; and the lock ends by its TTL. Only a
                 * right that is missing is told, because no later release will have it either. */
                $this->ownerOfCaller = null;
                if ($isDone && $e instanceof RedisLockServerException
                    && in_array($e->getErrorCode(), ['NOPERM', 'NOAUTH'], true)) {
                    throw $e;
                }
            }
        }
        return $isFreed ? $result : throw new RedisLockLostException("the lock \"$this->name\" was"
            . ' lost: when the callback ended, its key had been deleted at the server or belonged'
            . ' to another holder');
    }

    private function runUnder(RedisLockLease $lease, callable $callback): mixed
    {
        $owner = $this->owner = $lease->token();
        $outer = $this->held->of($this->name, $owner);
        $this->held->set($this->name, $owner, $lease);
        try {
            return $callback();
        } finally {
            /* The callback has released the lease, and has taken the lock again by this object. */
            if ($this->lease() !== $lease) {
                $this->release();
            }
            $this->held->set($this->name, $owner, $outer);
        }
    }

    /** A wait for the lock of a callback around it would never end. */
    private function inTermsOfLaravel(
        RedisLockException $e,
    ): RedisLockException|LockTimeoutException {
        return $e::class === RedisLockException::class && $this->held->ofName($this->name) !== []
            ? new LockTimeoutException($e->getMessage(), 0, $e) : $e;
    }

    /** @param string $when how the wait has ended */
    private function timeout(string $when): LockTimeoutException
    {
        try {
            $state = $this->redisLock->inspect($this->name);
        } catch (RedisLockException) {
            $state = null;
        }
        return new LockTimeoutException("could not acquire the lock \"$this->name\" $when: "
            . ($state === null ? 'it was held' : 'it is ' . Holder::text($state)));
    }

    private static function whole(int|float|string|null $seconds): int
    {
        $number = self::number($seconds ?? 0);
        if (is_infinite($number)) {
            throw new InvalidArgumentException('the seconds of a cache lock must be finite');
        }
        return (int) ceil(max(0.0, min($number, (float) self::LONGEST_SECONDS)));
    }

    /** PHP would take "1 hour" for 1, and an empty setting of .env for 0. */
    private static function number(int|float|string $seconds): float
    {
        if (is_string($seconds) && !is_numeric($seconds) || is_nan((float) $seconds)) {
            throw new InvalidArgumentException(
                "the seconds of a cache lock must be a number. Got \"$seconds\".");
        }
        return (float) $seconds;
    }

    /** @internal the TTL of so many seconds of Laravel */
    public static function ttl(int $seconds): float
    {
        $longest = self::LONGEST_SECONDS;
        return (float) ($seconds > 0 ? min($seconds, $longest) : $longest);
    }

    private static function renewedTtl(int $seconds): float
    {
        return $seconds > 0 ? self::ttl($seconds) : self::RENEWED_TTL;
    }
}
