<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use Redis;
use RedisLock;
use RedisLock\Symfony\RedisLockStore;
use RedisLock\Symfony\RedisLockStoreFactory;
use Symfony\Component\Lock\Exception\ExceptionInterface;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockReleasingException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Serializer\LockKeyNormalizer;
use Symfony\Component\Lock\SharedLockStoreInterface;
use Symfony\Component\Lock\Store\RedisStore;
use Symfony\Component\Serializer\Encoder\JsonEncoder;
use Symfony\Component\Serializer\Serializer;

/** What the store does beside the cases that it shares with Symfony's own stores. */
final class RedisLockStoreTest extends StoreTestCase
{
    use ExpiringStoreCases;
    use BlockingStoreCases;

    /** The extension may still undo a grant whose answer is lost: only acquire() knows that. */
    public function testATokenOfUnclearOutcomeIsNotExtended(): void
    {
        $redis = new UnclearRedisLock(self::dsn());
        $key = self::newKey();
        $store = new RedisLockStore($redis);
        $store->save($key);
        $token = self::redis()->owner((string) $key);
        self::redis()->forceRelease((string) $key);
        $redis->fails = true;
        $reason = null;
        try {
            $store->save($key);
        } catch (ExceptionInterface $reason) {
            self::assertFalse($store->exists($key));
        }
        self::assertInstanceOf(LockStorageException::class, $reason);
        $redis->fails = false;
        $before = $redis->extends();
        $store->save($key);
        self::assertSame(0, $redis->extends() - $before);
        self::assertSame($token, self::redis()->owner((string) $key));
        $store->save($key);
        self::assertSame(1, $redis->extends() - $before);
        $store->delete($key);
    }

    public function testTheKeyCarriesTheLockToAnotherProcess(): void
    {
        $key = self::newKey();
        self::store()->save($key);

        $other = unserialize(serialize($key));
        self::assertInstanceOf(Key::class, $other);
        $store = self::store();
        self::assertTrue($store->exists($other));
        $store->putOffExpiration($other, 60);
        $store->delete($other);
        self::assertFalse(self::store()->exists($key));
        self::assertFalse(self::redis()->isLocked((string) $key));
    }

    public function testTheKeyTravelsAsJson(): void
    {
        if (!class_exists(LockKeyNormalizer::class)) {
            self::markTestSkipped('this symfony/lock has no LockKeyNormalizer');
        }
        $key = self::newKey();
        self::store()->save($key);

        $serializer = new Serializer([new LockKeyNormalizer()], [new JsonEncoder()]);
        $other = $serializer->deserialize($serializer->serialize($key, 'json'), Key::class, 'json');
        self::assertInstanceOf(Key::class, $other);
        self::store()->putOffExpiration($other, 60);
        self::store()->delete($other);
        self::assertFalse(self::redis()->isLocked((string) $key));
    }

    public function testTheLockOutlivesTheStore(): void
    {
        $key = self::newKey();
        $store = self::store();
        $store->save($key);
        unset($store);
        self::assertTrue(self::redis()->isLocked((string) $key));
        self::store()->delete($key);
    }

    public function testAKeyThatWasReleasedGetsAFreshToken(): void
    {
        $key = self::newKey();
        $store = self::store();
        $store->save($key);
        $token = self::redis()->owner((string) $key);
        $store->delete($key);
        $store->save($key);
        self::assertTrue($store->exists($key));
        self::assertNotSame($token, self::redis()->owner((string) $key));
        $store->delete($key);
    }

    public function testSavingAgainSetsTheInitialTtl(): void
    {
        $key = self::newKey();
        $store = self::store(initialTtl: 100);
        $store->save($key);
        $store->putOffExpiration($key, 10);
        self::assertLessThanOrEqual(10, self::redis()->remaining((string) $key));
        $store->save($key);
        self::assertGreaterThan(90, self::redis()->remaining((string) $key));
        $store->delete($key);
    }

    public function testTheLifetimeCountsFromBeforeTheCommand(): void
    {
        $slow = new class (self::dsn()) extends RedisLock {
            public function extend(string $key, string $token, float $ttl): bool
            {
                $isOurs = parent::extend($key, $token, $ttl);
                usleep(200_000);
                return $isOurs;
            }
        };
        $key = self::newKey();
        $store = new RedisLockStore($slow, initialTtl: 100);
        $store->save($key);
        $putOff = function (Key $key) use ($store): void {
            $store->putOffExpiration($key, 100);
        };
        foreach ([$store->save(...), $putOff] as $call) {
            $key->resetLifetime();
            $call($key);
            $remaining = self::redis()->remaining((string) $key);
            self::assertNotNull($remaining);
            self::assertLessThanOrEqual($remaining + 0.1, $key->getRemainingLifetime());
        }
        $store->delete($key);
    }

    public function testAReleaseIsDoneAlthoughTheServersDoNotAgreeOnTheNextHolder(): void
    {
        $dsns = ['unix:///nonexistent/socket', ...array_slice(self::dsns(), 1)];
        $store = RedisLockStoreFactory::createStore($dsns);
        $key = self::newKey();
        $store->save($key);
        $store->delete($key);
        /* As a call that is about to take the lock on both: Lock::release() asks meanwhile. */
        $next = new RedisLock($dsns[1]);
        $token = (string) $next->acquire((string) $key);
        self::assertFalse($store->exists($key));
        $next->release((string) $key, $token);
        $store->save($key);
        self::assertTrue($store->exists($key));
        $store->delete($key);
    }

    public function testALockThatExpiredIsTakenAgainWithTheSameKey(): void
    {
        $key = self::newKey();
        $store = self::store();
        $store->save($key);
        self::redis()->forceRelease((string) $key);
        self::assertFalse($store->exists($key));
        $store->save($key);
        self::assertTrue($store->exists($key));
        $store->delete($key);
    }

    public function testThePutOffOfALostLockIsAConflict(): void
    {
        $key = self::newKey();
        $store = self::store();
        $store->save($key);
        self::redis()->forceRelease((string) $key);
        $this->expectException(LockConflictedException::class);
        $store->putOffExpiration($key, 10);
    }

    public function testThePutOffOfALockThatWasNeverSavedIsAConflict(): void
    {
        $this->expectException(LockConflictedException::class);
        self::store()->putOffExpiration(self::newKey(), 10);
    }

    public function testAReadLockIsExclusive(): void
    {
        self::assertNotContains(SharedLockStoreInterface::class, class_implements(self::store()));
        $factory = new LockFactory(self::store());
        $resource = self::resource();
        $lock = $factory->createLock($resource);
        self::assertTrue($lock->acquireRead());
        self::assertFalse($factory->createLock($resource)->acquireRead());
        $lock->release();
        self::assertTrue($factory->createLock($resource)->acquire());
    }

    public function testLocksOfTheFactory(): void
    {
        $factory = new LockFactory(self::store());
        $resource = self::resource();
        $lock = $factory->createLock($resource, 20);
        self::assertTrue($lock->acquire());
        self::assertTrue($lock->isAcquired());
        self::assertLessThanOrEqual(20, self::redis()->remaining($resource));
        self::assertFalse($factory->createLock($resource)->acquire());
        $lock->refresh(50);
        self::assertGreaterThan(40, $lock->getRemainingLifetime());
        $lock->release();
        self::assertFalse($lock->isAcquired());
        self::assertTrue($lock->acquire());
        unset($lock);
        self::assertFalse(self::redis()->isLocked($resource), 'the end of a Lock frees it');
    }

    public function testOtherClientsAreExcluded(): void
    {
        $key = self::newKey();
        $token = self::redis()->acquire((string) $key);
        self::assertNotNull($token);
        try {
            self::store()->save($key);
            self::fail('the lock was held');
        } catch (LockConflictedException) {
            self::assertFalse(self::store()->exists($key));
        }
        self::assertTrue(self::redis()->release((string) $key, $token));
    }

    #[RequiresPhpExtension('redis')]
    public function testLocksOfSymfonysOwnStoreAreExcluded(): void
    {
        $client = new Redis();
        $client->connect(substr(self::dsn(), strlen('unix://')));
        $symfonys = new RedisStore($client);
        $resource = self::resource();
        foreach ([[$symfonys, self::store()], [self::store(), $symfonys]] as [$first, $second]) {
            $key = new Key($resource);
            $first->save($key);
            try {
                $second->save(new Key($resource));
                self::fail('the other store holds the lock');
            } catch (LockConflictedException) {
                self::assertTrue($first->exists($key));
            }
            $first->delete($key);
        }
    }

    public function testAServerThatIsAwayIsNoConflict(): void
    {
        $store = new RedisLockStore(new RedisLock('unix:///nonexistent/socket'));
        $lock = (new LockFactory($store))->createLock('any', 30, false);
        try {
            $lock->acquire();
            self::fail('there is no server');
        } catch (LockAcquiringException $e) {
            $reason = $e->getPrevious();
            self::assertInstanceOf(LockStorageException::class, $reason);
            self::assertStringContainsString('/nonexistent/socket', $reason->getMessage());
        }
    }

    public function testAReleaseThatFailsIsReported(): void
    {
        $key = self::newKey();
        self::store()->save($key);
        $store = new RedisLockStore(new RedisLock('unix:///nonexistent/socket'));
        try {
            $store->delete($key);
            self::fail('there is no server');
        } catch (LockReleasingException $e) {
            self::assertInstanceOf(LockStorageException::class, $e->getPrevious());
        }
        self::store()->delete($key);
        self::assertFalse(self::redis()->isLocked((string) $key));
    }

    public function testAKeyThatTheExtensionRefuses(): void
    {
        $this->expectException(InvalidArgumentException::class);
        self::store()->save(new Key(''));
    }

    public function testATtlThatTheExtensionRefuses(): void
    {
        $this->expectException(InvalidTtlException::class);
        self::store(initialTtl: 0);
    }

    public function testAWaitThatTheExtensionRefuses(): void
    {
        $this->expectException(InvalidArgumentException::class);
        self::store(maxWait: -1);
    }
}
