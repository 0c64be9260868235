<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use Symfony\Component\Lock\Exception\ExceptionInterface;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\PersistingStoreInterface;

/** The cases of Symfony's ExpiringStoreTestTrait, which symfony/lock does not ship. */
trait ExpiringStoreCases
{
    abstract protected function getStore(): PersistingStoreInterface;

    abstract protected static function newKey(): Key;

    public function testALockEndsAtItsTtl(): void
    {
        $store = $this->getStore();
        $key = self::newKey();
        $store->save($key);
        $store->putOffExpiration($key, 0.5);
        self::assertTrue($store->exists($key));
        usleep(700_000);
        self::assertFalse($store->exists($key));
    }

    public function testATtlThatIsOverAtOnceIsAnException(): void
    {
        $store = $this->getStore();
        $key = self::newKey();
        $store->save($key);
        try {
            $store->putOffExpiration($key, 0.000_001);
            self::fail('the lock has expired');
        } catch (ExceptionInterface $e) {
            self::assertInstanceOf(LockExpiredException::class, $e);
            self::assertFalse($store->exists($key));
        }
    }

    public function testARefreshPutsOffTheEnd(): void
    {
        $store = $this->getStore();
        $key = self::newKey();
        $store->save($key);
        $store->putOffExpiration($key, 0.5);
        /* As Lock::refresh() does. */
        $key->resetLifetime();
        $store->putOffExpiration($key, 20);
        usleep(700_000);
        self::assertTrue($store->exists($key));
        $key->resetLifetime();
        $store->putOffExpiration($key, 0.1);
        usleep(300_000);
        self::assertFalse($store->exists($key));
    }

    public function testTheKeyKnowsItsLifetime(): void
    {
        $store = $this->getStore();
        $key = self::newKey();
        $store->save($key);
        self::assertGreaterThan(250, $key->getRemainingLifetime());
        self::assertLessThanOrEqual(300, $key->getRemainingLifetime());
        $store->putOffExpiration($key, 1);
        self::assertGreaterThanOrEqual(0, $key->getRemainingLifetime());
        self::assertLessThanOrEqual(1, $key->getRemainingLifetime());
        $store->delete($key);
    }

    public function testAKeyThatHasExpiredIsNotSaved(): void
    {
        $store = $this->getStore();
        $expired = self::newKey();
        $expired->reduceLifetime(0);
        try {
            $store->save($expired);
            self::fail('the key has expired');
        } catch (ExceptionInterface $e) {
            self::assertInstanceOf(LockExpiredException::class, $e);
            self::assertFalse($store->exists($expired));
        }
        $other = new Key((string) $expired);
        $store->save($other);
        self::assertTrue($store->exists($other));
        $store->delete($other);
    }
}
