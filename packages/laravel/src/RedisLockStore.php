<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Closure;
use Illuminate\Cache\RedisStore;
use LogicException;
use RedisLock;

/**
 * Laravel's cache store on Redis, with the locks of the extension redislock.
 *
 * @internal see RedisLockProvider
 * @psalm-suppress PropertyNotSetInConstructor Laravel sets the properties later
 */
class RedisLockStore extends RedisStore implements RedisLockProvider
{
    private ?RedisLock $redisLock = null;
    private bool $hasOneServer = false;
    private bool $renew = true;

    /** @var (Closure(): bool)|null */
    private ?Closure $isToQuit = null;

    private ?HeldLeases $held = null;

    /**
     * @param RedisLock $redisLock its prefix is what Laravel's connection puts before each key
     * @param bool $hasOneServer it has one DSN: a server, its Sentinels, or a cluster
     * @param bool $renew whether a lock with a callback is renewed
     * @param (Closure(): bool)|null $isToQuit true ends a wait
     * @return $this
     */
    public function setRedisLock(
        RedisLock $redisLock,
        bool $hasOneServer = false,
        bool $renew = true,
        ?Closure $isToQuit = null,
    ) {
        $this->redisLock = $redisLock;
        $this->hasOneServer = $hasOneServer;
        $this->renew = $renew;
        $this->isToQuit = $isToQuit;
        return $this;
    }

    public function hasOneServer(): bool
    {
        return $this->hasOneServer;
    }

    public function getRedisLock(): RedisLock
    {
        return $this->redisLock ?? throw new LogicException('setRedisLock() was not called');
    }

    /** With the prefix of the store; the object of getRedisLock() adds that of the connection. */
    public function lockKey(string $name): string
    {
        return $this->prefix . $name;
    }

    public function isToQuit(): ?Closure
    {
        return $this->isToQuit;
    }

    /**
     * @param string|int|\Stringable|null $name
     * @param int|float|string $seconds 0 = 366 days, or as long as a callback runs
     * @param string|int|\Stringable|null $owner null = a fresh owner that cannot be guessed
     * @return Lock
     */
    public function lock($name, $seconds = 0, $owner = null)
    {
        $owner = $owner === null ? null : (string) $owner;
        return new Lock($this->getRedisLock(), $this->lockKey((string) $name), $seconds,
            $owner, $this->renew, $this->isToQuit, $this->held ??= new HeldLeases());
    }

    /**
     * @param string|int|\Stringable|null $name
     * @param string|int|\Stringable $owner
     * @return Lock
     */
    public function restoreLock($name, $owner)
    {
        return $this->lock($name, 0, $owner);
    }
}
