<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use BadMethodCallException;
use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\Events\KeyWritten;
use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;
use Illuminate\Cache\TaggedCache;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Events\EventServiceProvider;
use Illuminate\Filesystem\FilesystemServiceProvider;
use Illuminate\Support\Facades\Cache;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\Laravel\Lock;
use RedisLock\Laravel\Once;
use RedisLock\Laravel\RedisLockRepository;
use RedisLock\Laravel\ValueStore;
use stdClass;

/** Locks in Redis or in memory, with the values of the cache in another store. */
final class ValueStoreTest extends TestCase
{
    /** @param array<string, mixed> $settings */
    private static function useValuesOf(string $store, array $settings = []): void
    {
        $app = self::application([
            'cache.stores.redislock' => ['driver' => 'redislock', 'value_store' => $store,
                'connection' => 'cache'],
            'cache.stores.array' => ['driver' => 'array'],
            'cache.stores.file' => ['driver' => 'file', 'path' => self::folder()],
            ...$settings,
        ]);
        $app->register(FilesystemServiceProvider::class);
    }

    private static function folder(): string
    {
        return sys_get_temp_dir() . '/redislock-values-' . getmypid();
    }

    private static function valueStore(): ValueStore
    {
        $store = Cache::getStore();
        self::assertInstanceOf(ValueStore::class, $store);
        return $store;
    }

    protected function tearDown(): void
    {
        if (is_dir(self::folder())) {
            self::useValuesOf('file');
            Cache::store('file')->clear();
            rmdir(self::folder());
        }
        parent::tearDown();
    }

    /** @return array<string, array{string}> */
    public static function stores(): array
    {
        return ['array' => ['array'], 'file' => ['file']];
    }

    #[DataProvider('stores')]
    public function testTheValuesAreInTheOtherStore(string $of): void
    {
        self::useValuesOf($of);
        $other = Cache::store($of);
        self::assertTrue(Cache::put('a', ['x' => 1], 60));
        self::assertSame(['x' => 1], $other->get('a'));
        self::assertTrue(Cache::putMany(['b' => 2, 'c' => 3], 60));
        self::assertSame(['a' => ['x' => 1], 'b' => 2, 'd' => null],
            Cache::many(['a', 'b', 'd']));
        self::assertSame(5, Cache::increment('b', 3));
        self::assertSame(1, Cache::decrement('c', 2));
        self::assertTrue(Cache::forever('e', 'f'));
        self::assertSame('f', $other->get('e'));
        self::assertFalse(Cache::add('e', 'g', 60));
        self::assertTrue(Cache::add('h', 'i', 60));
        self::assertSame('i', $other->get('h'));
        if (method_exists($other->getStore(), 'touch')) {
            self::assertTrue(self::valueStore()->touch('h', 60));
        }
        self::assertSame('i', Cache::remember('h', 60, fn () => self::fail('it is there')));
        self::assertTrue(Cache::forget('h'));
        self::assertNull($other->get('h'));
        self::assertSame($other->getStore()->getPrefix(), self::valueStore()->getPrefix());
        self::assertTrue(Cache::flush());
        self::assertNull(Cache::get('a'));
    }

    #[DataProvider('stores')]
    public function testTheLocksAreThoseOfRedislock(string $of): void
    {
        self::useValuesOf($of);
        $redis = self::redisWithKeysOf(self::valueStore()->lockKey(''));
        $lock = Cache::lock($this->name, 10);
        self::assertInstanceOf(Lock::class, $lock);
        self::assertTrue($lock->get());
        self::assertSame($lock->owner(), $redis->owner($this->name));
        Cache::flush();
        self::assertTrue($redis->isLocked($this->name), 'a cache that is emptied keeps its locks');
        self::assertTrue(Cache::restoreLock($this->name, $lock->owner())->release());
        self::assertLessThanOrEqual(30, Cache::lock($this->name)->get(
            fn (): ?float => $redis->remaining($this->name)));
    }

    public function testTheKeysAreThoseOfAStoreWithValuesInRedis(): void
    {
        $key = self::store()->lockKey($this->name);
        self::useValuesOf('array');
        self::assertSame($key, self::valueStore()->lockKey($this->name));
        self::useValuesOf('array', ['cache.stores.redislock.prefix' => 'own:']);
        self::assertStringStartsWith('own:', self::valueStore()->lockKey($this->name));
    }

    public function testLocksInMemoryAndValuesInAnArrayNeedNoRedis(): void
    {
        self::useValuesOf('array', ['database.redis' => [],
            'cache.stores.redislock.servers' => 'memory://']);
        Cache::put('a', 1, 60);
        self::assertSame(1, Cache::get('a'));
        self::assertTrue(Cache::lock($this->name, 10)->get());
        self::assertFalse(Cache::lock($this->name, 10)->get());
        Cache::lock($this->name)->forceRelease();
    }

    public function testTheStoreNullForgetsValuesAndKeepsLocks(): void
    {
        self::useValuesOf('null');
        Cache::put('a', 1, 60);
        self::assertNull(Cache::get('a'));
        self::assertTrue(Cache::lock($this->name, 10)->get());
        self::assertFalse(Cache::lock($this->name, 10)->get());
        Cache::lock($this->name)->forceRelease();
    }

    public function testTagsWhereTheValuesHaveTags(): void
    {
        self::useValuesOf('array');
        self::assertTrue(Cache::supportsTags());
        $tagged = Cache::tags(['x', 'y']);
        $tagged->put('a', 1, 60);
        self::assertSame(1, $tagged->get('a'));
        self::assertSame(self::valueStore(), $tagged->getStore(), 'for the locks of flexible()');
        self::assertInstanceOf(TaggedCache::class, self::valueStore()->tags('x', 'y'));
        Cache::tags(['y'])->flush();
        self::assertNull($tagged->get('a'));

        self::useValuesOf('file');
        self::assertFalse(Cache::supportsTags());
        $this->expectException(BadMethodCallException::class);
        $this->expectExceptionMessage('does not support tagging');
        Cache::tags(['x']);
    }

    public function testWhatOnlyTheStoreOfTheValuesHas(): void
    {
        self::useValuesOf('file');
        self::assertSame(self::folder(), self::valueStore()->__call('getDirectory', []));
        $this->expectException(BadMethodCallException::class);
        $this->expectExceptionMessage(ValueStore::class . '::nothing');
        self::valueStore()->__call('nothing', []);
    }

    public function testEventsNameThisStore(): void
    {
        self::useValuesOf('array');
        app()->register(EventServiceProvider::class);
        Cache::forgetDriver('redislock');
        $names = [];
        $listener = function (KeyWritten $event) use (&$names): void {
            /* Since Laravel 11. */
            $names[] = get_object_vars($event)['storeName'] ?? 'redislock';
        };
        app(Dispatcher::class)->listen(KeyWritten::class, $listener);
        Cache::put('a', 1, 60);
        self::assertSame(['redislock'], $names);
    }

    public function testOnceAndFunnelsTakeTheLocks(): void
    {
        self::useValuesOf('array');
        $job = new stdClass();
        $once = new Once($this->name, for: 60);
        $once->handle($job, fn () => null);
        $redis = self::redisWithKeysOf(self::valueStore()->lockKey(''));
        self::assertTrue($redis->inspect($once->getLockKey($job))?->isDone);

        $repository = Cache::store();
        self::assertInstanceOf(RedisLockRepository::class, $repository);
        if (class_exists(ConcurrencyLimiterBuilder::class)) {
            self::assertTrue($repository->funnel($this->name)->limit(2)->then(
                fn (): bool => $redis->isLocked($this->name)));
        }
    }

    /** @return array<string, array{array<string, mixed>, string}> */
    public static function mistakes(): array
    {
        $store = 'cache.stores.redislock';
        return [
            'an unknown store' => [["$store.value_store" => 'arary'],
                'there is no store [arary], which "value_store" names'],
            'itself' => [["$store.value_store" => 'redislock'],
                '"value_store" names [redislock], a store of the driver "redislock" like this one'],
            'another of the driver' => [["$store.value_store" => 'locks',
                'cache.stores.locks' => ['driver' => 'redislock', 'connection' => 'cache']],
                '"value_store" names [locks], a store of the driver "redislock" like this one'],
            'the name that Laravel uses' => [["$store.store" => 'array'],
                'named by "value_store"'],
        ];
    }

    /** @param array<string, mixed> $settings */
    #[DataProvider('mistakes')]
    public function testAMistakeIsNamed(array $settings, string $message): void
    {
        self::useValuesOf('array', $settings);
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage($message);
        Cache::store();
    }

    public function testACloneHasValuesOfItsOwn(): void
    {
        self::useValuesOf('array');
        $store = self::valueStore();
        self::assertInstanceOf(ArrayStore::class, $store->values());
        $clone = clone $store;
        $clone->put('a', 1, 60);
        self::assertNull($store->get('a'));
    }
}
