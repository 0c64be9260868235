<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use RedisLock\Symfony\LockTerms;
use RedisLock\Symfony\RedisLockStore;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\PersistingStoreInterface;

/** Saves each Key as the lock of a LeaseFactory is saved. */
final class LeasingStore implements PersistingStoreInterface
{
    public function __construct(private readonly RedisLockStore $store)
    {
    }

    public function save(Key $key): void
    {
        $this->store->setTerms($key, new LockTerms(leaseTtl: 30));
        $this->store->save($key);
    }

    public function delete(Key $key): void
    {
        $this->store->delete($key);
    }

    public function exists(Key $key): bool
    {
        return $this->store->exists($key);
    }

    public function putOffExpiration(Key $key, float $ttl): void
    {
        $this->store->putOffExpiration($key, $ttl);
    }
}
