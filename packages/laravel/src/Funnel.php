<?php

/* Without strict types, because settings from .env are strings: PHP makes them numbers. */

namespace RedisLock\Laravel;

use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;
use Illuminate\Cache\Limiters\LimiterTimeoutException;
use RedisLockConnectionException;
use RedisLockServerException;

/**
 * What Cache::funnel() returns. Its callers wait in one queue for the slots of one lock, and a
 * release wakes the first of them; sleep() has no effect. As in Laravel, a slot is not renewed, and
 * ends releaseAfter() seconds after it was taken.
 *
 * Where the lock can have no slots (a store on several servers, or a limit above 64), Laravel's own
 * loop asks for one lock after another.
 *
 * @internal
 * @psalm-suppress PropertyNotSetInConstructor limit() sets the property later
 */
class Funnel extends ConcurrencyLimiterBuilder
{
    private const MOST_SLOTS = 64;

    /** @return mixed what the callback returns, or the failure callback */
    public function then(callable $callback, ?callable $failure = null)
    {
        $store = $this->connection->getStore();
        $isOfSlots = $store instanceof RedisLockProvider && $store->hasOneServer()
            && $this->maxLocks >= 1 && $this->maxLocks <= self::MOST_SLOTS;
        if (!$isOfSlots) {
            return parent::then($callback, $failure);
        }
        $abort = new Abort($store->isToQuit());
        $lease = $store->getRedisLock()->lease($store->lockKey($this->name),
            ttl: Lock::ttl($this->releaseAfter), wait: (float) max(0, $this->timeout),
            renew: false, abort: $abort, slots: $this->maxLocks);
        if ($lease === null) {
            $e = new LimiterTimeoutException("could not get one of the $this->maxLocks slots of"
                . " \"$this->name\" {$abort->text($this->timeout)}: all are held");
            return $failure !== null ? $failure($e) : throw $e;
        }
        try {
            return $callback();
        } finally {
            try {
                $lease->release();
            } catch (RedisLockConnectionException|RedisLockServerException) {
                /* The work is done, or has failed by itself, and the release is repeated. */
            }
        }
    }
}
