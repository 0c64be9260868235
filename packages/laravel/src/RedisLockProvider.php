<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Closure;
use Illuminate\Contracts\Cache\LockProvider;
use Illuminate\Contracts\Cache\Store;
use RedisLock;

/** What the stores of the driver "redislock" have in common, wherever their values are. */
interface RedisLockProvider extends LockProvider, Store
{
    /** For leases and other things that Laravel's locks do not have: see lockKey(). */
    public function getRedisLock(): RedisLock;

    /** The key of a cache lock, as methods of getRedisLock() expect it. */
    public function lockKey(string $name): string;

    /** A lock on one server can have several slots. */
    public function hasOneServer(): bool;

    /**
     * Whether this process is told to quit, which ends a wait.
     *
     * @return (Closure(): bool)|null
     */
    public function isToQuit(): ?Closure;
}
