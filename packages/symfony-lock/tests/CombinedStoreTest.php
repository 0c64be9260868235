<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use RedisLock;
use RedisLock\Symfony\RedisLockStore;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Store\CombinedStore;
use Symfony\Component\Lock\Strategy\ConsensusStrategy;

/** A CombinedStore of three of these stores passes Symfony's cases, too. */
final class CombinedStoreTest extends StoreTestCase
{
    use ExpiringStoreCases;

    private static function member(int $number): RedisLock
    {
        return new RedisLock(self::dsns()[$number]);
    }

    protected function getStore(): PersistingStoreInterface
    {
        return new CombinedStore([
            new RedisLockStore(self::member(0)),
            new RedisLockStore(self::member(1)),
            new RedisLockStore(self::member(2)),
        ], new ConsensusStrategy());
    }

    public function testAllMembersHaveTheLock(): void
    {
        $store = $this->getStore();
        $key = self::newKey();
        for ($round = 0; $round < 2; $round++) {
            $store->save($key);
            foreach ([0, 1, 2] as $number) {
                self::assertTrue(self::member($number)->isLocked((string) $key));
            }
            $store->delete($key);
            foreach ([0, 1, 2] as $number) {
                self::assertFalse(self::member($number)->isLocked((string) $key));
            }
        }
    }

    public function testAMinorityIsGivenBack(): void
    {
        $store = $this->getStore();
        $key = self::newKey();
        $tokens = [];
        foreach ([1, 2] as $number) {
            $tokens[$number] = (string) self::member($number)->acquire((string) $key);
        }
        try {
            $store->save($key);
            self::fail('a majority has another holder');
        } catch (LockConflictedException) {
            self::assertFalse(self::member(0)->isLocked((string) $key));
        }
        foreach ($tokens as $number => $token) {
            self::assertTrue(self::member($number)->release((string) $key, $token));
        }
        $store->save($key);
        $copy = unserialize(serialize($key), ['allowed_classes' => [Key::class]]);
        self::assertInstanceOf(Key::class, $copy);
        self::assertTrue($store->exists($copy));
        $store->delete($key);
    }

    public function testAMinorityThatIsAwayDoesNotMatter(): void
    {
        $store = new CombinedStore([
            new RedisLockStore(self::member(0)),
            new RedisLockStore(new RedisLock('unix:///nonexistent/socket')),
            new RedisLockStore(self::member(2)),
        ], new ConsensusStrategy());
        $key = self::newKey();
        $store->save($key);
        $store->putOffExpiration($key, 60);
        self::assertTrue($store->exists($key));
        $store->delete($key);
        self::assertFalse($store->exists($key));
    }
}
