<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Cache\RedisStore;
use Illuminate\Contracts\Cache\LockProvider;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Str;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use RedisLock;
use RedisLock\Laravel\Lock;
use RedisLock\Laravel\RedisLockStore;
use RedisLockConnectionException;
use ReflectionClass;
use RuntimeException;

/** The cases of Laravel's RedisCacheLockTest, which laravel/framework does not ship, and more. */
final class CacheLockTest extends TestCase
{
    public function testLocksAreAcquiredAndReleased(): void
    {
        $lock = Cache::lock($this->name, 10);
        self::assertInstanceOf(Lock::class, $lock);
        self::assertTrue($lock->get());
        self::assertFalse(Cache::lock($this->name, 10)->get());
        self::assertTrue($lock->release());

        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        self::assertFalse(Cache::lock($this->name, 10)->get());
        self::assertFalse(Cache::lock($this->name)->release(), 'another owner does not release it');
        self::assertTrue($lock->release());
    }

    public function testTheCallbackOfGetRunsUnderTheLock(): void
    {
        $isLocked = Cache::lock($this->name, 10)->get(
            fn (): bool => self::redis()->isLocked($this->name));
        self::assertTrue($isLocked);
        self::assertFalse(self::redis()->isLocked($this->name));
    }

    public function testLocksBlockForSeconds(): void
    {
        self::assertSame('taylor', Cache::lock($this->name, 10)->block(1, fn () => 'taylor'));
        self::assertTrue(Cache::lock($this->name, 10)->block(1));
        $start = hrtime(true);
        try {
            Cache::lock($this->name, 10)->block(1);
            self::fail('the lock was held');
        } catch (LockTimeoutException $e) {
            self::assertGreaterThanOrEqual(1_000_000_000, hrtime(true) - $start);
            self::assertStringContainsString("$this->name\" within 1 s", $e->getMessage());
        }
        self::redis()->forceRelease($this->name);
    }

    public function testAReleaseWakesABlockedProcess(): void
    {
        $owner = self::redis()->acquire($this->name);
        $pipes = [];
        $process = proc_open([PHP_BINARY, __DIR__ . '/waiter.php', $this->name],
            [['pipe', 'r'], ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        self::assertSame("waiting\n", fgets($pipes[1]));
        usleep(300_000);
        self::assertTrue(self::redis()->release($this->name, (string) $owner));
        $released = microtime(true);
        $acquired = (float) fgets($pipes[1]);
        self::assertSame(0, proc_close($process));
        self::assertGreaterThan(0, $acquired);
        self::assertLessThan(5, $acquired - $released);
    }

    public function testConcurrentLocksAreReleasedSafely(): void
    {
        $first = Cache::lock($this->name, 1);
        self::assertTrue($first->get());
        usleep(1_200_000);
        $second = Cache::lock($this->name, 10);
        self::assertTrue($second->get());
        self::assertFalse($first->release());
        self::assertFalse(Cache::lock($this->name)->get());
        self::assertTrue($second->release());
    }

    public function testAFailedCallbackReleasesTheLock(): void
    {
        try {
            Cache::lock($this->name, 10)->block(1, fn () => throw new RuntimeException('failed'));
            self::fail('the callback has thrown');
        } catch (RuntimeException $e) {
            self::assertSame('failed', $e->getMessage());
        }
        self::assertTrue(Cache::lock($this->name, 1)->get());
    }

    public function testAnotherObjectReleasesByTheOwner(): void
    {
        $first = Cache::lock($this->name, 10);
        self::assertTrue($first->get());
        $second = Cache::restoreLock($this->name, $first->owner());
        self::assertInstanceOf(Lock::class, $first);
        self::assertInstanceOf(Lock::class, $second);
        self::assertTrue($second->isOwnedByCurrentProcess());
        self::assertTrue($second->release());
        self::assertFalse($first->isOwnedByCurrentProcess());
        self::assertTrue(Cache::lock($this->name)->get());
        self::redis()->forceRelease($this->name);
    }

    public function testAnotherOwnerDoesNotOwnARestoredLock(): void
    {
        $first = Cache::lock($this->name, 10);
        self::assertTrue($first->get());
        $second = Cache::restoreLock($this->name, 'other_owner');
        self::assertInstanceOf(Lock::class, $first);
        self::assertInstanceOf(Lock::class, $second);
        self::assertFalse($second->isOwnedByCurrentProcess());
        self::assertFalse($second->release());
        if ((new ReflectionClass($first))->hasMethod('isOwnedBy')) {
            self::assertTrue($first->isOwnedBy($first->owner()));
            self::assertTrue($second->isOwnedBy($first->owner()));
            self::assertFalse($first->isOwnedBy(null));
            self::redis()->forceRelease($this->name);
            self::assertTrue($first->isOwnedBy(null));
        }
    }

    public function testTheLockStaysWhenTheObjectDies(): void
    {
        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        $owner = $lock->owner();
        unset($lock);
        gc_collect_cycles();
        self::assertSame($owner, self::redis()->owner($this->name));
        self::assertTrue(Cache::restoreLock($this->name, $owner)->release());
    }

    public function testAnOwnerOfTheCaller(): void
    {
        $lock = Cache::lock($this->name, 10, 'me');
        self::assertTrue($lock->get());
        self::assertSame('me', self::redis()->owner($this->name));
        self::assertFalse(Cache::lock($this->name, 10, 'me')->get(), 'a lock is not reentrant');
        self::assertTrue(Cache::lock($this->name, 10, 'me')->release());
    }

    /** As in Laravel, which puts the owner into the text of a command. */
    public function testAnOwnerNeedNotBeAString(): void
    {
        foreach ([7, Str::uuid()] as $owner) {
            self::assertTrue(self::store()->lock($this->name, 10, $owner)->get());
            self::assertSame((string) $owner, self::redis()->owner($this->name));
            self::assertTrue(self::store()->restoreLock($this->name, $owner)->release());
        }
    }

    /** As in Laravel, which puts the name behind the prefix. */
    public function testANameNeedNotBeAString(): void
    {
        foreach ([crc32($this->name), Str::of($this->name), null] as $name) {
            $lock = self::store()->lock($name, 10);
            self::assertTrue($lock->get());
            $full = 'app_' . self::prefix() . (string) $name;
            self::assertTrue((new RedisLock(self::dsns()[0] . '?db=1'))->isLocked($full));
            self::assertTrue(self::store()->restoreLock($name, $lock->owner())->release());
        }
    }

    /** As in Laravel, where a job may have lost the owner on its way. */
    public function testAnOwnerThatNoLockCanHaveReleasesNothing(): void
    {
        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        foreach (['', '0', str_repeat('x', 4096), str_repeat('x', 4097)] as $owner) {
            $restored = self::store()->restoreLock($this->name, $owner);
            self::assertFalse($restored->release());
            self::assertFalse($restored->refresh());
            self::assertFalse($restored->isOwnedByCurrentProcess());
        }
        self::assertTrue($lock->release());
    }

    public function testSecondsMayBeStringsOfDotEnv(): void
    {
        $lock = self::store()->lock($this->name, '10');
        self::assertTrue($lock->block('1'));
        self::assertTrue($lock->refresh('100'));
        self::assertGreaterThan(90, self::redis()->remaining($this->name));
        self::assertTrue($lock->release());
    }

    public function testSecondsThatAreNoNumberAreRefused(): void
    {
        $lock = self::store()->lock($this->name, 10);
        self::assertTrue($lock->get());
        foreach (['1 hour', 'abc', '', NAN] as $seconds) {
            foreach (['lock' => fn (): Lock => self::store()->lock($this->name, $seconds),
                'block' => fn (): mixed => $lock->block($seconds),
                'refresh' => fn (): bool => $lock->refresh($seconds)] as $name => $call) {
                try {
                    $call();
                    self::fail("$name() has taken $seconds for a number");
                } catch (InvalidArgumentException $e) {
                    self::assertStringContainsString("Got \"$seconds\"", $e->getMessage());
                }
            }
        }
        self::assertGreaterThan(0, self::redis()->remaining($this->name));
        self::assertLessThanOrEqual(10, self::redis()->remaining($this->name));
        self::assertTrue($lock->refresh(1e30));
        self::assertGreaterThan(365.9 * 86400, self::redis()->remaining($this->name));
        self::assertTrue($lock->release());
        $this->expectException(InvalidArgumentException::class);
        self::store()->lock($this->name, INF);
    }

    public function testZeroSecondsAre366Days(): void
    {
        self::assertTrue(Cache::lock($this->name)->get());
        $days = (self::redis()->remaining($this->name) ?? 0) / 86400;
        self::assertGreaterThan(365.9, $days);
        self::assertLessThanOrEqual(366, $days);
        Cache::lock($this->name)->forceRelease();
        self::assertFalse(self::redis()->isLocked($this->name));
    }

    public function testRefreshSetsANewTtl(): void
    {
        $lock = Cache::lock($this->name, 10);
        self::assertInstanceOf(Lock::class, $lock);
        self::assertFalse($lock->refresh());
        self::assertTrue($lock->get());
        self::assertTrue($lock->refresh(100));
        self::assertGreaterThan(90, self::redis()->remaining($this->name));
        self::assertTrue($lock->refresh());
        self::assertLessThanOrEqual(10, self::redis()->remaining($this->name));
        $lock->release();
    }

    public function testAServerThatIsAwayIsAnException(): void
    {
        self::application(['cache.stores.redislock.servers' => 'unix:///nonexistent']);
        $this->expectException(RedisLockConnectionException::class);
        Cache::lock($this->name, 10)->get();
    }

    public function testEachAcquisitionHasAnOwnerOfItsOwn(): void
    {
        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        $owner = $lock->owner();
        self::assertFalse($lock->get(), 'a lock is not reentrant');
        self::assertSame($owner, $lock->owner());
        self::assertTrue($lock->release());
        self::assertTrue($lock->get());
        self::assertNotSame($owner, $lock->owner());
        self::assertTrue($lock->release());
    }

    public function testAfterAFailedReleaseTheNextLockHasAnotherOwner(): void
    {
        $redis = new class (self::dsns()[0]) extends RedisLock {
            public bool $isAway = false;

            public function release(string $key, #[\SensitiveParameter] string $token): bool
            {
                return $this->isAway ? throw new RedisLockConnectionException('away')
                    : parent::release($key, $token);
            }
        };
        $owner = RedisLock::token();
        $lock = new Lock($redis, $this->name, 1, $owner);
        self::assertTrue($lock->get());
        self::assertSame($owner, $lock->owner());
        $redis->isAway = true;
        try {
            $lock->release();
            self::fail('the server is away');
        } catch (RedisLockConnectionException) {
            self::assertSame($owner, $lock->owner(), 'the release can be called again');
        }
        $redis->isAway = false;
        self::assertTrue($lock->block(5));
        self::assertNotSame($owner, $lock->owner());
        self::assertTrue($lock->release());
    }

    private static function laravelsStore(): LockProvider
    {
        $store = Cache::store('redis')->getStore();
        self::assertInstanceOf(LockProvider::class, $store);
        return $store;
    }

    public function testALeaseOfTheStoresServerExcludesItsLocks(): void
    {
        $store = self::store();
        $lease = $store->getRedisLock()->lease($store->getPrefix() . $this->name);
        self::assertTrue($lease?->isHeld());
        self::assertFalse(Cache::lock($this->name, 10)->get());
        $lease->release();
        self::assertTrue(Cache::lock($this->name, 1)->get());
    }

    #[RequiresPhpExtension('redis')]
    public function testLocksOfLaravelsOwnStoreAreExcluded(): void
    {
        $laravels = self::laravelsStore()->lock($this->name, 10);
        self::assertTrue($laravels->get());
        self::assertFalse(Cache::lock($this->name, 10)->get());
        self::assertTrue(Cache::restoreLock($this->name, $laravels->owner())->release());

        $ours = Cache::lock($this->name, 10);
        self::assertTrue($ours->get());
        self::assertFalse(self::laravelsStore()->lock($this->name, 10)->get());
        $restored = self::laravelsStore()->restoreLock($this->name, $ours->owner());
        self::assertTrue($restored->release());
    }

    /** @return array<string, array{array<string, mixed>}> what a connection has besides its host */
    public static function prefixes(): array
    {
        return [
            'of the URL' => [['url' => '?prefix=url_', 'prefix' => 'own_']],
            'a number' => [['prefix' => 7]],
            'of the options' => [['prefix' => null, 'options' => ['prefix' => 'own_']]],
            'none' => [['options' => ['prefix' => null]]],
        ];
    }

    /** @param array<string, mixed> $connection */
    #[DataProvider('prefixes')]
    #[RequiresPhpExtension('redis')]
    public function testTheKeyIsThatOfLaravelsOwnStore(array $connection): void
    {
        $socket = substr(self::dsns()[0], strlen('unix://'));
        self::application(['database.redis.cache' => $connection
            + ['host' => $socket, 'port' => 0, 'database' => 1]]);
        $laravels = self::laravelsStore()->lock($this->name, 10);
        self::assertTrue($laravels->get());
        self::assertFalse(Cache::lock($this->name, 10)->get());
        self::assertTrue($laravels->release());
    }

    #[RequiresPhpExtension('redis')]
    public function testValuesAreCachedAsEver(): void
    {
        self::assertInstanceOf(RedisLockStore::class, Cache::getStore());
        Cache::put($this->name, ['a' => 1], 10);
        self::assertSame(['a' => 1], Cache::get($this->name));
        self::assertSame(['a' => 1], Cache::store('redis')->get($this->name));
        Cache::forget($this->name);
        $laravels = self::laravelsStore();
        self::assertInstanceOf(RedisStore::class, $laravels);
        self::assertSame(self::tagged($laravels), self::tagged(self::store()));
    }

    /** A value before and after its tag is flushed. */
    private static function tagged(RedisStore $store): string
    {
        $cache = $store->tags(['x']);
        $cache->put('tagged', 1, 10);
        $before = json_encode($cache->get('tagged'));
        $cache->flush();
        $after = json_encode($store->tags(['x'])->get('tagged'));
        $store->tags(['x'])->forget('tagged');
        return "$before, $after";
    }
}
