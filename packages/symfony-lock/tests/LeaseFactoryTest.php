<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use Closure;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock;
use RedisLock\Symfony\LeaseFactory;
use RedisLock\Symfony\RedisLockStore;
use RedisLock\Symfony\RedisLockStoreFactory;
use Symfony\Component\Lock\Exception\ExceptionInterface;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\UnserializableKeyException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;

/** On servers in memory, whose clock the tests move, and with other processes on a real one. */
final class LeaseFactoryTest extends TestCase
{
    use Servers;

    protected function setUp(): void
    {
        RedisLock::flushMemory();
    }

    private static function factory(float $leaseTtl = 30.0, ?float $maxHold = null): LeaseFactory
    {
        return LeaseFactory::create('memory://', leaseTtl: $leaseTtl, maxHold: $maxHold);
    }

    /** As another process sees the locks. */
    private static function other(): RedisLock
    {
        return new RedisLock('memory://');
    }

    public function testALockIsRenewedAsLongAsItIsHeld(): void
    {
        $lock = self::factory()->createLock('import');
        self::assertTrue($lock->acquire());
        RedisLock::advance(3600);
        self::assertTrue($lock->isAcquired());
        self::assertFalse($lock->isExpired());
        self::assertNull($lock->getRemainingLifetime());
        self::assertTrue(self::other()->isLocked('import'));
        $lock->release();
        self::assertFalse($lock->isAcquired());
        self::assertFalse(self::other()->isLocked('import'));
    }

    public function testTheTtlIsHowLongTheLockOutlivesTheProcess(): void
    {
        $factory = self::factory(leaseTtl: 20);
        $byDefault = $factory->createLock('default');
        $ownTtl = $factory->createLock('own', ttl: 600);
        self::assertTrue($byDefault->acquire() && $ownTtl->acquire());
        self::assertEqualsWithDelta(20, self::other()->remaining('default'), 2);
        self::assertEqualsWithDelta(600, self::other()->remaining('own'), 2);
        $byDefault->refresh(100);
        self::assertEqualsWithDelta(100, self::other()->remaining('default'), 2);
        RedisLock::advance(1000);
        self::assertGreaterThan(60, self::other()->remaining('default'));
    }

    public function testABadTtlIsRefusedBeforeTheLockIsTaken(): void
    {
        foreach ([true, false] as $autoRelease) {
            try {
                self::factory()->createLock('bad', INF, $autoRelease);
                self::fail('INF was accepted');
            } catch (InvalidTtlException) {
                self::assertFalse(self::other()->isLocked('bad'));
            }
        }
    }

    /** Lock::refresh() wraps each exception of its store. */
    public function testARefreshByABadTtlChangesNothing(): void
    {
        $lock = self::factory()->createLock('short', 60);
        self::assertTrue($lock->acquire());
        foreach ([-5.0, 0.001, NAN, 1e9] as $ttl) {
            try {
                $lock->refresh($ttl);
                self::fail("$ttl was accepted");
            } catch (LockAcquiringException $e) {
                self::assertInstanceOf(InvalidTtlException::class, $e->getPrevious());
            }
        }
        RedisLock::advance(600);
        self::assertTrue($lock->isAcquired());
        self::assertGreaterThan(30, self::other()->remaining('short'));
    }

    public function testALockTakesOneCommandAndItsReleaseAnother(): void
    {
        $lock = self::factory()->createLock('traffic', 30);
        $before = RedisLock::stats()['round_trip']['count'];
        self::assertTrue($lock->acquire());
        $lock->refresh();
        self::assertTrue($lock->isAcquired());
        self::assertSame(1, RedisLock::stats()['round_trip']['count'] - $before);
        $lock->release();
        self::assertSame(2, RedisLock::stats()['round_trip']['count'] - $before);
    }

    public function testALockThatIsDroppedIsFree(): void
    {
        $factory = self::factory();
        $lock = $factory->createLock('dropped');
        self::assertTrue($lock->acquire());
        unset($lock);
        self::assertFalse(self::other()->isLocked('dropped'));

        /* Without the destructor of Lock the lease ends with the Key. */
        $key = new Key('key');
        $store = RedisLockStoreFactory::createStore('memory://');
        (new LeaseFactory($store))->createLockFromKey($key);
        $store->save($key);
        self::assertTrue(self::other()->isLocked('key'));
        unset($key);
        self::assertFalse(self::other()->isLocked('key'));
    }

    public function testALockWithoutAutoReleaseBelongsToItsKey(): void
    {
        $key = new Key('report');
        $lock = self::factory()->createLockFromKey($key, 600, autoRelease: false);
        self::assertTrue($lock->acquire());
        unset($lock);
        /** @var mixed $copy */
        $copy = unserialize(serialize($key));
        self::assertInstanceOf(Key::class, $copy);
        $lock = self::factory()->createLockFromKey($copy, 60);
        self::assertTrue($lock->isAcquired());
        $lock->refresh();
        RedisLock::advance(61);
        self::assertFalse($lock->isAcquired(), 'the lock of a Key from elsewhere is not renewed');
    }

    public function testTheKeyOfALeaseCannotBeSerialized(): void
    {
        $key = new Key('report');
        $lock = self::factory()->createLockFromKey($key);
        self::assertTrue($lock->acquire());
        $this->expectException(UnserializableKeyException::class);
        serialize($key);
    }

    public function testACloneOfTheKeyOfALeaseHasNoLock(): void
    {
        $key = new Key('report');
        $lock = self::factory()->createLockFromKey($key);
        self::assertTrue($lock->acquire());
        self::assertFalse(self::factory()->createLockFromKey(clone $key)->isAcquired());
        self::assertTrue($lock->isAcquired());
    }

    public function testALossEndsTheLock(): void
    {
        $lock = self::factory(leaseTtl: 30)->createLock('lost');
        self::assertTrue($lock->acquire());
        self::other()->forceRelease('lost');
        self::assertNotNull(self::other()->acquire('lost', 3600));
        RedisLock::advance(11);
        self::assertFalse($lock->isAcquired());
        self::assertTrue($lock->isExpired());
        try {
            $lock->refresh();
            self::fail('the lock is lost');
        } catch (LockConflictedException $e) {
            self::assertStringContainsString('TakenOver', $e->getMessage());
        }
        self::assertTrue($lock->isExpired());
        self::assertFalse($lock->acquire(), 'another holder has it');
        $lock->release();
        self::assertTrue(self::other()->isLocked('lost'));

        self::other()->forceRelease('lost');
        self::assertTrue($lock->acquire());
        self::assertFalse($lock->isExpired());
    }

    public function testALockIsRenewedNoLongerThanMaxHold(): void
    {
        $lock = self::factory(maxHold: 600)->createLock('hanging');
        self::assertTrue($lock->acquire());
        RedisLock::advance(590);
        self::assertTrue($lock->isAcquired());
        RedisLock::advance(11);
        self::assertFalse($lock->isAcquired());
        self::assertFalse(self::other()->isLocked('hanging'));
    }

    public function testTheSameLockCanBeAcquiredAgain(): void
    {
        $lock = self::factory()->createLock('again');
        self::assertTrue($lock->acquire());
        self::assertTrue($lock->acquire());
        $lock->release();
        self::assertFalse(self::other()->isLocked('again'));
        self::assertTrue($lock->acquire());
        $second = self::factory()->createLock('again');
        self::assertFalse($second->acquire());
    }

    public function testAWaitForALockOfTheSameProcessFailsAtOnce(): void
    {
        $lock = self::factory()->createLock('self');
        self::assertTrue($lock->acquire());
        $this->expectException(LockAcquiringException::class);
        self::factory()->createLock('self')->acquire(true);
    }

    /** @return array<string, array{bool}> */
    public static function autoReleases(): array
    {
        return ['a lease' => [true], 'a lock of its Key' => [false]];
    }

    #[DataProvider('autoReleases')]
    public function testAWaitMayHaveALimitOfItsOwn(bool $autoRelease): void
    {
        $lock = self::factory()->createLock('busy', null, $autoRelease, maxWait: 0.05);
        self::assertNotNull((new RedisLock('memory://', label: 'web-3:8812'))->acquire('busy', 60));
        try {
            $lock->acquire(true);
            self::fail('another holder has the lock');
        } catch (LockConflictedException $e) {
            self::assertMatchesRegularExpression('~^The lock "busy" could not be acquired within '
                . '0\.05 s: it is held by web-3:8812 for up to [56]\d\.\d s more\.$~',
                $e->getMessage());
        }
        self::assertFalse($lock->acquire());
    }

    public function testWithoutALimitOfItsOwnTheOneOfTheStoreCounts(): void
    {
        self::assertNotNull(self::other()->acquire('busy', 3600));
        $factory = LeaseFactory::create('memory://', maxWait: 0.05);
        $this->expectException(LockConflictedException::class);
        $factory->createLock('busy')->acquire(true);
    }

    public function testABlockingAcquireIsWokenByTheReleaseOfAnotherProcess(): void
    {
        $holder = new Holder(self::dsn(), 'factory:woken');
        $holder->releaseAfter(0.2);
        $lock = LeaseFactory::create(self::dsn())->createLock('factory:woken', maxWait: 20);
        $before = RedisLock::stats()['wake_ups'];
        self::assertTrue($lock->acquire(true));
        self::assertSame(1, RedisLock::stats()['wake_ups'] - $before);
        self::assertSame(0, $holder->end());
    }

    /** After a fatal error no destructor runs. */
    public function testALockIsFreeAfterAFatalError(): void
    {
        $code = 'require ' . var_export(__DIR__ . '/bootstrap.php', true) . ';'
            . '$lock = RedisLock\Symfony\LeaseFactory::create($argv[1])->createLock("fatal");'
            . 'echo $lock->acquire() ? "held" : "busy"; ini_set("memory_limit", "8M");'
            . '$all = ""; while (true) { $all .= str_repeat("x", 1 << 20); }';
        $child = proc_open([PHP_BINARY, '-d', 'display_errors=0', '-d', 'log_errors=0', '-r', $code,
            '--', self::dsn()], [1 => ['pipe', 'w']], $pipes);
        self::assertIsResource($child);
        self::assertSame('held', stream_get_contents($pipes[1]));
        self::assertSame(255, proc_close($child));
        self::assertFalse((new RedisLock(self::dsn()))->isLocked('fatal'));
    }

    public function testItStandsInForALockFactory(): void
    {
        $factory = self::factory();
        self::assertInstanceOf(LockFactory::class, $factory);
        $lock = $factory->createLock('read', 60);
        self::assertTrue($lock->acquireRead());
        RedisLock::advance(600);
        self::assertTrue($lock->isAcquired());
    }

    /** @return array<string, array{Closure(): mixed}> */
    public static function badValues(): array
    {
        $store = static fn (): RedisLockStore => RedisLockStoreFactory::createStore('memory://');
        return [
            'leaseTtl' => [static fn () => new LeaseFactory($store(), 0.0)],
            'leaseTtl, NAN' => [static fn () => new LeaseFactory($store(), NAN)],
            'maxHold' => [static fn () => new LeaseFactory($store(), 30, 0.0)],
            'ttl' => [static fn () => self::factory()->createLock('k', -1.0)],
            'ttl, 0' => [static fn () => self::factory()->createLock('k', 0.0)],
            'ttl, too long' => [static fn () => self::factory()->createLock('k', 1e9)],
            'maxWait' => [static fn () => self::factory()->createLock('k', maxWait: -1.0)],
            'maxWait, NAN' => [static fn () => self::factory()->createLock('k', maxWait: NAN)],
            'dsn' => [static fn () => LeaseFactory::create('flock://')],
        ];
    }

    /** @param Closure(): mixed $call */
    #[DataProvider('badValues')]
    public function testABadValueIsRefusedBeforeAnyTraffic(Closure $call): void
    {
        $before = RedisLock::stats()['round_trip']['count'];
        try {
            $call();
            self::fail('it was accepted');
        } catch (ExceptionInterface $e) {
            self::assertInstanceOf(InvalidArgumentException::class, $e);
            self::assertSame($before, RedisLock::stats()['round_trip']['count']);
        }
    }
}
