<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use RedisLock\Symfony\RedisLockStore;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;

/** The case of Symfony's BlockingStoreTestTrait, which symfony/lock does not ship, and more. */
trait BlockingStoreCases
{
    abstract protected static function store(
        float $initialTtl = 300.0,
        float $maxWait = INF,
    ): RedisLockStore;

    abstract protected static function dsn(): string;

    abstract protected static function newKey(): Key;

    public function testAWaitEndsWithTheReleaseOfAnotherProcess(): void
    {
        $key = self::newKey();
        $holder = new Holder(self::dsn(), (string) $key);
        $store = self::store();
        try {
            $store->save($key);
            self::fail('another process holds the lock');
        } catch (LockConflictedException) {
            self::assertFalse($store->exists($key));
        }
        $holder->releaseAfter(0.2);
        $store->waitAndSave($key);
        self::assertTrue($store->exists($key));
        self::assertGreaterThan(250, $key->getRemainingLifetime());
        $store->delete($key);
        self::assertSame(0, $holder->end());
    }

    public function testABlockingAcquireOfTheFactoryWaits(): void
    {
        $resource = (string) self::newKey();
        $holder = new Holder(self::dsn(), $resource);
        $holder->releaseAfter(0.2);
        $lock = (new LockFactory(self::store()))->createLock($resource, 30);
        self::assertTrue($lock->acquire(true));
        self::assertSame(0, $holder->end());
        $lock->release();
    }

    public function testAWaitThatIsTooLongIsAConflict(): void
    {
        $key = self::newKey();
        self::store()->save($key);
        $start = hrtime(true);
        try {
            self::store(maxWait: 0.2)->waitAndSave(new Key((string) $key));
            self::fail('the lock was held');
        } catch (LockConflictedException) {
            self::assertGreaterThanOrEqual(200_000_000, hrtime(true) - $start);
        }
        self::store()->delete($key);
    }

    public function testAWaitForTheLockOfTheSameKeyEndsAtOnce(): void
    {
        $key = self::newKey();
        $store = self::store();
        $store->save($key);
        $store->waitAndSave($key);
        self::assertTrue($store->exists($key));
        $store->delete($key);
        self::assertFalse($store->exists($key));
    }
}
