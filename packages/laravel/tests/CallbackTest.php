<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Support\Facades\Cache;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock;
use RedisLock\Laravel\Lock;
use RedisLockException;
use RedisLockLoss;
use RedisLockLostException;
use RedisLockServerException;
use RedisLockState;
use RedisLockTimeoutException;
use RuntimeException;

/** Locks that live exactly as long as their callback, and the exception of a wait in vain. */
final class CallbackTest extends TestCase
{
    /** @return array<string, array{string|null}> the owner that the caller gives */
    public static function owners(): array
    {
        return ['a drawn owner' => [null], 'an owner of the caller' => ['me']];
    }

    private function lock(int $seconds = 30, ?string $owner = null): Lock
    {
        return self::store()->lock($this->name, $seconds, $owner);
    }

    /** Whether the lock is that of a callback, and its lease is held. */
    private static function isHeld(Lock $lock): bool
    {
        $lease = $lock->lease();
        return $lease !== null && $lease->isHeld();
    }

    private function isFree(): bool
    {
        return !self::redis()->isLocked($this->name);
    }

    private function assertIsFree(): void
    {
        self::assertTrue($this->isFree());
    }

    #[DataProvider('owners')]
    public function testTheLockIsRenewedWhileTheCallbackRuns(?string $owner): void
    {
        $run = function (): string {
            usleep(2_500_000);
            return $this->isFree() ? 'free' : 'held';
        };
        self::assertSame('held', $this->lock(1, $owner)->get($run));
        $this->assertIsFree();
        self::assertSame('held', $this->lock(1, $owner)->block(1, $run));
        $this->assertIsFree();
    }

    public function testWithoutRenewTheLockEndsWithItsSeconds(): void
    {
        self::application(['cache.stores.redislock.renew' => false]);
        $run = function (): string {
            usleep(1_500_000);
            return $this->isFree() ? 'free' : 'held';
        };
        self::assertSame('free', $this->lock(1)->get($run));
        self::assertSame('free', $this->lock(1)->block(1, $run));
        $this->lock(0)->get(fn () => self::assertGreaterThan(86400 * 365.9,
            self::redis()->remaining($this->name)));
        $this->assertIsFree();
    }

    public function testRenewMayBeAStringOfDotEnvButNoOtherWord(): void
    {
        foreach (['0', 'off', 'false'] as $setting) {
            self::application(['cache.stores.redislock.renew' => $setting]);
            $this->lock()->get(fn () => self::assertNull($this->lock()->lease()));
        }
        self::application(['cache.stores.redislock.renew' => 'sometimes']);
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessageMatches('~\[redislock\].*"renew" must be true or false~');
        $this->lock();
    }

    #[DataProvider('owners')]
    public function testZeroSecondsAreAsLongAsTheCallbackRuns(?string $owner): void
    {
        $seconds = fn (): ?float => self::redis()->remaining($this->name);
        foreach ([0, -1] as $zero) {
            self::assertLessThanOrEqual(30, $this->lock($zero, $owner)->get($seconds));
            self::assertGreaterThan(5, $this->lock($zero, $owner)->block(1, $seconds));
        }
        $repository = Cache::store();
        if (method_exists($repository, 'withoutOverlapping')) {
            self::assertLessThanOrEqual(30,
                $repository->withoutOverlapping($this->name, $seconds, owner: $owner));
        }
        $this->assertIsFree();
    }

    #[DataProvider('owners')]
    public function testTheObjectKnowsItsLockInTheCallback(?string $owner): void
    {
        $lock = $this->lock(20, $owner);
        self::assertNull($lock->lease());
        $lock->get(function () use ($lock, $owner): void {
            self::assertSame(0, func_num_args(), 'as in Laravel');
            self::assertSame(self::redis()->owner($this->name), $lock->owner());
            self::assertSame($owner ?? $lock->owner(), $lock->owner());
            self::assertTrue($lock->isOwnedByCurrentProcess());
            self::assertTrue($lock->isLocked());
            self::assertTrue(self::isHeld($lock));
            self::assertTrue($lock->refresh(100));
            self::assertGreaterThan(50, self::redis()->remaining($this->name));
            self::assertTrue($lock->refresh());
            self::assertLessThanOrEqual(20, self::redis()->remaining($this->name));
        });
        self::assertNull($lock->lease());
        self::assertFalse($lock->isLocked());
        self::assertFalse($lock->isOwnedByCurrentProcess());
    }

    public function testIsLockedOfALockWithoutACallback(): void
    {
        self::assertFalse($this->lock()->isLocked());
        self::assertTrue($this->lock()->get());
        self::assertTrue($this->lock()->isLocked());
        $this->lock()->forceRelease();
        self::assertFalse($this->lock()->isLocked());
    }

    #[DataProvider('owners')]
    public function testTheCallbackMayReleaseTheLock(?string $owner): void
    {
        $lock = $this->lock(30, $owner);
        $result = $lock->get(function () use ($lock): string {
            self::assertTrue($lock->release());
            $this->assertIsFree();
            self::assertFalse($lock->release());
            self::assertFalse($lock->refresh());
            return 'done';
        });
        self::assertSame('done', $result);
    }

    /** As in Laravel: at the end of the callback the object releases what it has. */
    #[DataProvider('owners')]
    public function testWhatTheObjectHasTakenAnewIsReleasedToo(?string $owner): void
    {
        $lock = $this->lock(30, $owner);
        $lock->get(function () use ($lock): void {
            self::assertTrue($lock->release());
            self::assertTrue($lock->get());
            self::assertFalse($this->isFree());
        });
        $this->assertIsFree();
    }

    #[DataProvider('owners')]
    public function testARestoredLockIsThatOfTheCallback(?string $owner): void
    {
        $lock = $this->lock(20, $owner);
        $result = $lock->get(function () use ($lock): string {
            $restored = self::store()->restoreLock($this->name, $lock->owner());
            self::assertTrue($restored->isOwnedByCurrentProcess());
            self::assertSame($lock->lease(), $restored->lease());
            self::assertTrue($restored->refresh(), 'for the default of renewed locks');
            $seconds = self::redis()->remaining($this->name);
            self::assertGreaterThan(20, $seconds);
            self::assertLessThanOrEqual(30, $seconds);
            self::assertTrue($restored->release());
            return 'done';
        });
        self::assertSame('done', $result, 'the lock was not lost');
        $this->assertIsFree();
    }

    public function testTheCallbackMayFreeTheLockByForce(): void
    {
        self::assertSame('done', $this->lock()->get(function (): string {
            $this->lock()->forceRelease();
            $this->assertIsFree();
            return 'done';
        }));
    }

    /** Another holder may take the lock between two commands of the forced release. */
    #[DataProvider('owners')]
    public function testAForcedReleaseInTheCallbackSparesTheNextHolder(?string $owner): void
    {
        $redis = new class (self::dsns()[0]) extends RedisLock {
            public ?string $next = null;

            private function letNextIn(string $key): void
            {
                $this->next ??= (new RedisLock(TestCase::dsns()[0]))->acquire($key);
            }

            public function release(string $key, #[\SensitiveParameter] string $token): bool
            {
                $this->letNextIn($key);
                return parent::release($key, $token);
            }

            public function forceRelease(string $key): bool
            {
                $this->letNextIn($key);
                return parent::forceRelease($key);
            }
        };
        $lock = new Lock($redis, $this->name, 30, $owner);
        self::assertSame('done', $lock->get(function () use ($lock): string {
            $lock->forceRelease();
            return 'done';
        }));
        self::assertNotNull($redis->next);
        self::assertSame($redis->next, $redis->owner($this->name));
        $redis->forceRelease($this->name);
    }

    public function testAForcedReleaseFreesTheLockOfNestedCallbacks(): void
    {
        self::application(['cache.stores.redislock.options' => ['reentrant' => true]]);
        try {
            $this->lock()->get(fn (): mixed => $this->lock()->get(function (): void {
                $this->lock()->forceRelease();
                $this->assertIsFree();
            }));
            self::fail('the outer callback has lost its lock');
        } catch (RedisLockLostException $e) {
            self::assertSame(RedisLockLoss::Deleted, $e->getLoss());
        }
    }

    #[DataProvider('owners')]
    public function testAForcedReleaseAfterALossFreesTheLockOfTheHolder(?string $owner): void
    {
        self::assertSame('done', $this->lock(30, $owner)->get(function (): string {
            self::redis()->forceRelease($this->name);
            self::assertNotNull(self::redis()->acquire($this->name));
            $this->lock()->forceRelease();
            $this->assertIsFree();
            return 'done';
        }));
    }

    #[DataProvider('owners')]
    public function testAnExceptionOfTheCallbackFreesTheLock(?string $owner): void
    {
        $exceptions = [new LockTimeoutException(), new RuntimeException(), new RedisLockException(),
            new RedisLockTimeoutException()];
        foreach ($exceptions as $thrown) {
            try {
                $this->lock(30, $owner)->block(1, fn () => throw $thrown);
                self::fail('the callback has thrown');
            } catch (RuntimeException|LockTimeoutException $e) {
                self::assertSame($thrown, $e);
            }
            $this->assertIsFree();
        }
    }

    #[DataProvider('owners')]
    public function testAReleaseThatFailsChangesNoResult(?string $owner): void
    {
        $thrown = new RuntimeException('the work has failed');
        try {
            self::assertSame('result', $this->lock(30, $owner)->get(function (): string {
                self::refuseWrites();
                return 'result';
            }));
            self::refuseWrites(false);
            $this->name .= '-b';
            $this->lock(30, $owner)->get(function () use ($thrown): void {
                self::refuseWrites();
                throw $thrown;
            });
            self::fail('the callback has thrown');
        } catch (RuntimeException $e) {
            self::assertSame($thrown, $e);
        } finally {
            self::refuseWrites(false);
        }
    }

    #[DataProvider('owners')]
    public function testALostLockIsAnExceptionAfterTheCallback(?string $owner): void
    {
        $isDone = false;
        try {
            $this->lock(30, $owner)->block(1, function () use (&$isDone): string {
                self::redis()->forceRelease($this->name);
                self::assertNotNull(self::redis()->acquire($this->name));
                $isDone = true;
                return 'result';
            });
            self::fail('the lock was lost');
        } catch (RedisLockLostException $e) {
            self::assertTrue($isDone);
            self::assertStringContainsString("$this->name\" was lost", $e->getMessage());
            self::assertSame($owner === null ? 'result' : null, $e->getResult());
        }
        self::assertFalse($this->isFree(), 'the other holder keeps the lock');
        self::redis()->forceRelease($this->name);
    }

    #[DataProvider('owners')]
    public function testALossThatTheRenewalFindsIsAnExceptionToo(?string $owner): void
    {
        $lock = $this->lock(1, $owner);
        try {
            $lock->get(function () use ($lock): void {
                self::redis()->forceRelease($this->name);
                $end = microtime(true) + 10;
                while (self::isHeld($lock)) {
                    self::assertLessThan($end, microtime(true));
                    usleep(20_000);
                }
            });
            self::fail('the lock was lost');
        } catch (RedisLockLostException $e) {
            self::assertSame(RedisLockLoss::Deleted, $e->getLoss());
        }
    }

    #[DataProvider('owners')]
    public function testALockInItsOwnCallbackIsRefusedAtOnce(?string $owner): void
    {
        $this->lock(30, $owner)->get(function (): void {
            self::assertFalse($this->lock()->get());
            self::assertFalse($this->lock()->get(fn () => self::fail('it is not reentrant')));
            $fail = function (): void {
                self::fail('it is not reentrant');
            };
            foreach ([null, $fail] as $callback) {
                $start = microtime(true);
                try {
                    $this->lock()->block(600, $callback);
                    self::fail('the lock is held');
                } catch (LockTimeoutException $e) {
                    self::assertStringContainsString('would never end', $e->getMessage());
                    self::assertLessThan(60, microtime(true) - $start);
                }
            }
        });
        $this->assertIsFree();
    }

    public function testAReentrantStoreNestsCallbacks(): void
    {
        self::application(['cache.stores.redislock.options' => ['reentrant' => true]]);
        $lock = $this->lock();
        $lock->get(function () use ($lock): void {
            $outer = $lock->lease();
            self::assertSame('inner', $this->lock()->block(1, fn (): string => 'inner'));
            self::assertSame($outer, $lock->lease());
            self::assertTrue($lock->release());
        });
        $this->assertIsFree();
    }

    public function testAWorkOfOnceIsNoFreeLock(): void
    {
        self::redis()->once($this->name, fn () => null, for: 60);
        self::assertFalse($this->lock()->get(fn () => self::fail('it is done')));
        $this->expectException(LockTimeoutException::class);
        $this->expectExceptionMessage('it is marked as work that is done');
        $this->lock()->block(0);
    }

    public function testAHeldLockIsFalseForGet(): void
    {
        $owner = self::redis()->acquire($this->name);
        self::assertFalse($this->lock()->get(fn () => self::fail('it is held')));
        self::assertFalse($this->lock(30, 'me')->get(fn () => self::fail('it is held')));
        self::assertTrue(self::redis()->release($this->name, (string) $owner));
    }

    /** @return array<string, array{callable|null, string|null}> */
    public static function waits(): array
    {
        $callback = function (): void {
            self::fail('it is held');
        };
        return ['a token' => [null, null], 'a lease' => [$callback, null],
            'a lease of an owner' => [$callback, 'me']];
    }

    #[DataProvider('waits')]
    public function testATimeoutNamesTheHolderAndTheTimeLeft(
        ?callable $callback,
        ?string $owner,
    ): void {
        $redis = new RedisLock(self::dsns()[0] . '?db=1', 'app_' . self::prefix(),
            label: 'web-3:8812');
        $token = (string) $redis->acquire($this->name, 60);
        foreach ([0, 1] as $wait) {
            try {
                $this->lock(30, $owner)->block($wait, $callback);
                self::fail('the lock was held');
            } catch (LockTimeoutException $e) {
                $name = preg_quote(self::prefix() . $this->name, '~');
                self::assertMatchesRegularExpression("~^could not acquire the lock \"$name\""
                    . " within $wait s: it is held by web-3:8812 for up to \d\d(\.\d)? s more$~",
                    $e->getMessage());
            }
        }
        self::assertTrue($redis->release($this->name, $token));
    }

    public function testATimeoutNamesAHolderWithoutALabel(): void
    {
        self::assertTrue($this->lock(30, 'me')->get());
        $this->expectException(LockTimeoutException::class);
        $this->expectExceptionMessage('it is held by a client without a label for up to ');
        $this->lock()->block(0);
    }

    public function testATimeoutIsOneAlsoIfTheHolderCannotBeAsked(): void
    {
        $redis = new class (self::dsns()[0]) extends RedisLock {
            public function inspect(string $key): ?RedisLockState
            {
                throw new RedisLockServerException('NOPERM');
            }
        };
        self::assertNotNull($redis->acquire($this->name));
        try {
            (new Lock($redis, $this->name, 30))->block(0);
            self::fail('the lock was held');
        } catch (LockTimeoutException $e) {
            self::assertStringEndsWith('within 0 s: it was held', $e->getMessage());
        }
        $redis->forceRelease($this->name);
    }
}
