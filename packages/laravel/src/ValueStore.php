<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use BadMethodCallException;
use Closure;
use Illuminate\Cache\TaggedCache;
use Illuminate\Cache\TagSet;
use Illuminate\Contracts\Cache\Store;
use Illuminate\Support\Traits\ForwardsCalls;
use RedisLock;

/**
 * A store whose values are in another store of Laravel, with the locks of a RedisLockStore.
 *
 * @internal see RedisLockProvider
 */
class ValueStore implements RedisLockProvider
{
    use ForwardsCalls;

    public function __construct(
        private Store $values,
        private readonly RedisLockStore $locks,
    ) {
    }

    public function __clone()
    {
        $this->values = clone $this->values;
    }

    /** The store of the values. */
    public function values(): Store
    {
        return $this->values;
    }

    public function getRedisLock(): RedisLock
    {
        return $this->locks->getRedisLock();
    }

    public function lockKey(string $name): string
    {
        return $this->locks->lockKey($name);
    }

    public function hasOneServer(): bool
    {
        return $this->locks->hasOneServer();
    }

    public function isToQuit(): ?Closure
    {
        return $this->locks->isToQuit();
    }

    /**
     * @param string|int|\Stringable|null $name
     * @param int|float|string $seconds 0 = 366 days, or as long as a callback runs
     * @param string|int|\Stringable|null $owner null = a fresh owner that cannot be guessed
     * @return Lock
     */
    public function lock($name, $seconds = 0, $owner = null)
    {
        return $this->locks->lock($name, $seconds, $owner);
    }

    /**
     * @param string|int|\Stringable|null $name
     * @param string|int|\Stringable $owner
     * @return Lock
     */
    public function restoreLock($name, $owner)
    {
        return $this->locks->restoreLock($name, $owner);
    }

    /**
     * @param string $key
     * @return mixed
     */
    public function get($key)
    {
        return $this->values->get($key);
    }

    /**
     * @param array<mixed> $keys
     * @return array<mixed>
     */
    public function many(array $keys)
    {
        return $this->values->many($keys);
    }

    /**
     * @param string $key
     * @param mixed $value
     * @param int $seconds
     * @return bool
     */
    public function put($key, $value, $seconds)
    {
        return $this->values->put($key, $value, $seconds);
    }

    /**
     * @param array<mixed> $values
     * @param int $seconds
     * @return bool
     */
    public function putMany(array $values, $seconds)
    {
        return $this->values->putMany($values, $seconds);
    }

    /**
     * In one step where the store of the values can do that, as Laravel's repository does.
     *
     * @param string $key
     * @param mixed $value
     * @param int $seconds
     * @return bool
     */
    public function add($key, $value, $seconds)
    {
        return method_exists($this->values, 'add')
            ? (bool) $this->values->add($key, $value, $seconds)
            : $this->values->get($key) === null && $this->values->put($key, $value, $seconds);
    }

    /**
     * @param string $key
     * @param mixed $value
     * @return int|bool
     */
    public function increment($key, $value = 1)
    {
        return $this->values->increment($key, $value);
    }

    /**
     * @param string $key
     * @param mixed $value
     * @return int|bool
     */
    public function decrement($key, $value = 1)
    {
        return $this->values->decrement($key, $value);
    }

    /**
     * @param string $key
     * @param mixed $value
     * @return bool
     */
    public function forever($key, $value)
    {
        return $this->values->forever($key, $value);
    }

    /**
     * Since Laravel 13.
     *
     * @param string $key
     * @param int $seconds
     * @return bool
     */
    public function touch($key, $seconds)
    {
        return (bool) $this->__call('touch', [$key, $seconds]);
    }

    /**
     * @param string $key
     * @return bool
     */
    public function forget($key)
    {
        return $this->values->forget($key);
    }

    /** @return bool */
    public function flush()
    {
        return $this->values->flush();
    }

    /** @return string that of the values; see lockKey() */
    public function getPrefix()
    {
        return $this->values->getPrefix();
    }

    public function hasTags(): bool
    {
        return method_exists($this->values, 'tags');
    }

    /**
     * @param mixed $names
     * @return TaggedCache
     */
    public function tags($names)
    {
        if (!method_exists($this->values, 'tags')) {
            throw new BadMethodCallException('This cache store does not support tagging.');
        }
        $names = is_array($names) ? $names : func_get_args();
        /** @var TaggedCache $tagged */
        $tagged = $this->values->tags($names);
        /* Of a kind that works with any store it becomes one with the locks of this store. */
        return $tagged::class === TaggedCache::class
            ? new TaggedCache($this, new TagSet($this, $names)) : $tagged;
    }

    /**
     * What only this kind of store has.
     *
     * @param string $method
     * @param array<mixed> $parameters
     * @return mixed
     */
    public function __call($method, $parameters)
    {
        return $this->forwardCallTo($this->values, $method, $parameters);
    }
}
