<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use Symfony\Component\Lock\PersistingStoreInterface;

/** Leases pass Symfony's cases of locks, too. Those of lifetimes do not apply: a lease has none. */
final class LeaseStoreTest extends StoreTestCase
{
    protected function getStore(): PersistingStoreInterface
    {
        return new LeasingStore(self::store());
    }
}
