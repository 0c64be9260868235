<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock;
use RedisLock\Symfony\RedisLockStoreFactory;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;

final class RedisLockStoreFactoryTest extends TestCase
{
    use Servers;

    public function testThePrefixStandsBeforeTheKey(): void
    {
        $key = new Key('factory');
        $store = RedisLockStoreFactory::createStore(self::dsn(), 'app:');
        $store->save($key);
        self::assertTrue((new RedisLock(self::dsn()))->isLocked('app:factory'));
        $store->delete($key);
    }

    /** @return array<string, array{string|list<string>}> */
    public static function severalServers(): array
    {
        return ['text' => [implode(' ', self::dsns())], 'list' => [self::dsns()]];
    }

    /** @param string|list<string> $dsns */
    #[DataProvider('severalServers')]
    public function testSeveralServersAreAMajority(string|array $dsns): void
    {
        $key = new Key('factory:several');
        $store = RedisLockStoreFactory::createStore($dsns);
        $store->save($key);
        foreach (self::dsns() as $dsn) {
            self::assertTrue((new RedisLock($dsn))->isLocked('factory:several'));
        }
        (new RedisLock(self::dsn()))->forceRelease('factory:several');
        self::assertTrue($store->exists($key), 'two of three servers have the lock');
        $store->delete($key);
    }

    public function testABlockingAcquireMayFailAtOnceWhileRedisIsDown(): void
    {
        $store = RedisLockStoreFactory::createStore('memory://?fail=refused&outage_wait=0');
        $this->expectException(LockAcquiringException::class);
        self::assertTrue((new LockFactory($store))->createLock('down')->acquire(true));
    }

    public function testWithoutADsnTheIniSettingCounts(): void
    {
        $before = ini_set('redislock.servers', self::dsn());
        try {
            $key = new Key('factory:ini');
            $store = RedisLockStoreFactory::createStore();
            $store->save($key);
            self::assertTrue($store->exists($key));
            $store->delete($key);
        } finally {
            ini_set('redislock.servers', (string) $before);
        }
    }

    /** As in the tests of an application. Symfony's own clock, that of the Key, is not moved. */
    public function testAServerInTheMemoryOfThisProcess(): void
    {
        $key = new Key('factory:memory');
        $store = RedisLockStoreFactory::createStore('memory://symfony', initialTtl: 30);
        $store->save($key);
        self::assertTrue($store->exists($key));
        try {
            $store->save(new Key('factory:memory'));
            self::fail('two keys have the lock');
        } catch (LockConflictedException) {
            RedisLock::advance(31);
        }
        self::assertFalse($store->exists($key));
    }

    /** @return array<string, array{string}> */
    public static function badDsns(): array
    {
        return ['scheme' => ['flock://x'], 'option' => ['redis://localhost?color=red']];
    }

    #[DataProvider('badDsns')]
    public function testABadDsnIsRefused(string $dsn): void
    {
        $this->expectException(InvalidArgumentException::class);
        RedisLockStoreFactory::createStore($dsn);
    }
}
