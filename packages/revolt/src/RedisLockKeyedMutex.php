<?php

declare(strict_types=1);

namespace RedisLock\Revolt;

use Amp\Cancellation;
use Amp\CancelledException;
use Amp\ForbidCloning;
use Amp\ForbidSerialization;
use Amp\Sync\KeyedMutex;
use Amp\Sync\Lock;
use Amp\Sync\SyncException;
use Closure;
use RedisLock;
use RedisLockException;
use RedisLockLease;
use RedisLockLoss;
use Revolt\EventLoop;

/**
 * A mutex of amphp that Fibers, processes and machines share. A lock is a lease of the extension: a
 * thread renews it until its release, also while the event loop is busy.
 */
final class RedisLockKeyedMutex implements KeyedMutex
{
    use ForbidCloning;
    use ForbidSerialization;

    /**
     * Its end in place of none: the extension refuses to wait for an endless lease of the same
     * Fiber. But a lock of amphp may be released by any Fiber, and Revolt runs one callback after
     * another in the same Fiber.
     */
    private const LONGEST_HOLD = 366 * 86400.0;

    /** PHP calls onLoss when code runs, which an idle loop does not: a timer of so many seconds. */
    private const LOOK_FOR_LOSS = 0.1;

    /**
     * Installs the waiter, if install() has not been called.
     *
     * @param RedisLock $redisLock must not be re-entrant: two callbacks that Revolt runs in the
     *   same Fiber would share a lock
     * @param float $ttl seconds after which the lock ends if it is not renewed, because this
     *   process died or the server cannot be reached
     * @param float $wait the longest wait in seconds; INF = without end
     * @param float|null $maxHold how long the lock is renewed at most, in seconds; null = until its
     *   release
     * @param (Closure(RedisLockLease): mixed)|null $onLoss called once when the lock is lost before
     *   its release, in whatever Fiber runs then, up to 0.1 s after the process has learned it. It
     *   cannot suspend, and should not throw: let it set a flag, or cancel a DeferredCancellation
     */
    public function __construct(
        private readonly RedisLock $redisLock,
        private readonly float $ttl = 30.0,
        private readonly float $wait = INF,
        private readonly ?float $maxHold = null,
        private readonly ?Closure $onLoss = null,
    ) {
        Waiter::get();
    }

    /**
     * Waits until the lock is free. A release wakes the waiters in order of arrival.
     *
     * @throws SyncException when the wait is over, or the server could not be asked.
     *   Lock::release() throws it when the lock was lost before, or when the server could not be
     *   asked: then the extension repeats the release
     * @throws CancelledException
     */
    public function acquire(string $key, ?Cancellation $cancellation = null): Lock
    {
        $cancellation?->throwIfRequested();
        $lease = $cancellation === null ? $this->lease($key)
            : cancellable($cancellation, fn (): RedisLockLease => $this->lease($key));
        $timer = $this->onLoss === null ? null : EventLoop::unreference(
            EventLoop::repeat(self::LOOK_FOR_LOSS, static fn () => null));
        return new Lock(static function () use ($lease, $key, $timer): void {
            if ($timer !== null) {
                EventLoop::cancel($timer);
            }
            self::release($lease, $key);
        });
    }

    private function lease(string $key): RedisLockLease
    {
        try {
            $lease = $this->redisLock->lease($key, $this->ttl, $this->wait,
                maxHold: $this->maxHold ?? self::LONGEST_HOLD, onLoss: $this->onLoss);
        } catch (RedisLockException $e) {
            throw new SyncException($e->getMessage(), 0, $e);
        }
        return $lease ?? throw new SyncException(
            "could not acquire the lock \"$key\" within $this->wait s: it is held");
    }

    private static function release(RedisLockLease $lease, string $key): void
    {
        try {
            $isReleased = $lease->release();
        } catch (RedisLockException $e) {
            throw new SyncException($e->getMessage(), 0, $e);
        }
        if (!$isReleased) {
            $loss = $lease->loss();
            /* Released: it is the release that has found the loss. */
            $reason = $loss === null || $loss === RedisLockLoss::Released ? '' : ": $loss->name";
            throw new SyncException("the lock \"$key\" was lost before its release$reason");
        }
    }
}
