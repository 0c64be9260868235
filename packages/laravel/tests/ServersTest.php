<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Support\Facades\Cache;
use RedisLock;
use ValueError;

/** The settings of the store. */
final class ServersTest extends TestCase
{
    public function testServersOfTheStoreReplaceThoseOfTheConnection(): void
    {
        $servers = self::dsns();
        foreach ([$servers, implode(' ', $servers)] as $setting) {
            self::application(['cache.stores.redislock.servers' => $setting]);
            $lock = Cache::lock($this->name, 10);
            self::assertTrue($lock->get());
            $prefix = 'app_' . self::prefix();
            foreach ($servers as $dsn) {
                self::assertTrue((new RedisLock($dsn, $prefix))->isLocked($this->name));
            }
            self::assertTrue($lock->release());
        }
    }

    public function testThePrefixOfTheStore(): void
    {
        self::application(['cache.stores.redislock.prefix' => 'own:']);
        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        self::assertStringStartsWith('own:', self::prefix());
        $redis = new RedisLock(self::dsns()[0] . '?db=1', 'app_' . self::prefix());
        self::assertSame($lock->owner(), $redis->owner($this->name));
        $lock->release();
    }

    public function testALockConnectionOfItsOwn(): void
    {
        $socket = substr(self::dsns()[1], strlen('unix://'));
        self::application([
            'database.redis.locks' => ['host' => $socket, 'port' => 0, 'prefix' => 'locks_'],
            'cache.stores.redislock.lock_connection' => 'locks',
        ]);
        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        $redis = new RedisLock(self::dsns()[1], 'locks_' . self::prefix());
        self::assertTrue($redis->isLocked($this->name));
        $lock->release();
    }

    public function testOptionsAreThoseOfTheExtension(): void
    {
        self::application(['cache.stores.redislock.options' => ['timeout' => -1]]);
        $this->expectException(ValueError::class);
        $this->expectExceptionMessage('$timeout');
        Cache::lock($this->name);
    }
}
