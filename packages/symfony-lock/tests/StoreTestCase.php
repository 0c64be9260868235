<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use RedisLock;
use RedisLock\Symfony\RedisLockStore;
use RedisLock\Symfony\RedisLockStoreFactory;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Test\AbstractStoreTestCase;

/** The cases of Symfony's AbstractStoreTestCase, and what further cases need. */
abstract class StoreTestCase extends AbstractStoreTestCase
{
    use Servers;

    private static int $names = 0;

    protected static function redis(): RedisLock
    {
        return new RedisLock(self::dsn());
    }

    protected static function store(float $initialTtl = 300.0, float $maxWait = INF): RedisLockStore
    {
        return RedisLockStoreFactory::createStore(self::dsn(), null, $initialTtl, $maxWait);
    }

    protected function getStore(): PersistingStoreInterface
    {
        return self::store();
    }

    /** A resource that no other test uses. */
    protected static function resource(): string
    {
        return 'symfony:' . getmypid() . ':' . ++self::$names;
    }

    protected static function newKey(): Key
    {
        return new Key(self::resource());
    }
}
