<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Cache\RedisStore;
use LogicException;
use RedisLock;

/**
 * Laravel's cache store on Redis, with the locks of the extension redislock.
 *
 * @psalm-suppress PropertyNotSetInConstructor Laravel sets the properties later
 */
class RedisLockStore extends RedisStore
{
    private ?RedisLock $redisLock = null;
    private bool $hasOneServer = false;

    /**
     * @param RedisLock $redisLock its prefix is what Laravel's connection puts before each key
     * @param bool $hasOneServer it has one DSN: a server, its Sentinels, or a cluster
     * @return $this
     */
    public function setRedisLock(RedisLock $redisLock, bool $hasOneServer = false)
    {
        $this->redisLock = $redisLock;
        $this->hasOneServer = $hasOneServer;
        return $this;
    }

    /** A lock on one server can have several slots. */
    public function hasOneServer(): bool
    {
        return $this->hasOneServer;
    }

    /**
     * For leases and other things that Laravel's locks do not have. Its keys have the prefix of the
     * connection, but not that of the store: getPrefix().
     */
    public function getRedisLock(): RedisLock
    {
        return $this->redisLock ?? throw new LogicException('setRedisLock() was not called');
    }

    /**
     * @param string $name
     * @param int|float|string $seconds 0 = 366 days
     * @param string|int|\Stringable|null $owner null = a fresh owner that cannot be guessed
     * @return Lock
     */
    public function lock($name, $seconds = 0, $owner = null)
    {
        $owner = $owner === null ? null : (string) $owner;
        return new Lock($this->getRedisLock(), $this->prefix . $name, $seconds, $owner);
    }

    /**
     * @param string $name
     * @param string|int|\Stringable $owner
     * @return Lock
     */
    public function restoreLock($name, $owner)
    {
        return $this->lock($name, 0, $owner);
    }
}
