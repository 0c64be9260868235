<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;
use Illuminate\Cache\Limiters\LimiterTimeoutException;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Events\EventServiceProvider;
use Illuminate\Support\Facades\Cache;
use RedisLock\Laravel\RedisLockRepository;
use RuntimeException;

/** Cache::funnel(): at most so many at a time. */
final class FunnelTest extends TestCase
{
    /** @var list<int|string> */
    private array $seen = [];

    protected function setUp(): void
    {
        if (!class_exists(ConcurrencyLimiterBuilder::class)) {
            self::markTestSkipped('this version of Laravel has no Cache::funnel()');
        }
        parent::setUp();
    }

    private function funnel(int $limit = 2, int $wait = 0): ConcurrencyLimiterBuilder
    {
        $repository = Cache::store();
        self::assertInstanceOf(RedisLockRepository::class, $repository);
        return $repository->funnel($this->name)->limit($limit)->releaseAfter(30)->block($wait);
    }

    private function held(): int
    {
        return (int) self::redis()->isLocked($this->name)
            + (int) self::redis()->isLocked("$this->name#2");
    }

    public function testNoMoreThanTheLimitAtATime(): void
    {
        $this->funnel()->then(fn (): mixed => $this->funnel()->then(function (): void {
            $this->seen[] = $this->held();
            $this->funnel()->then(
                function (): void {
                    $this->seen[] = 'a third one is in';
                },
                function (LimiterTimeoutException $e): void {
                    $this->seen[] = $e->getMessage();
                });
        }));
        self::assertSame([2, "could not get one of the 2 slots of \"$this->name\" within 0 s: all"
            . ' are held'], $this->seen);
        self::assertSame(0, $this->held());
    }

    public function testWithoutAFailureCallbackItThrows(): void
    {
        $this->funnel(1)->then(function (): void {
            $this->expectException(LimiterTimeoutException::class);
            $this->funnel(1)->then(fn () => self::fail('two are in'));
        });
    }

    public function testAFailedCallbackFreesItsSlot(): void
    {
        try {
            $this->funnel()->then(fn () => throw new RuntimeException('failed'));
            self::fail('no exception');
        } catch (RuntimeException $e) {
            self::assertSame('failed', $e->getMessage());
        }
        self::assertSame(0, $this->held());
    }

    public function testAReleaseThatFailsChangesNoResult(): void
    {
        try {
            self::assertSame('result', $this->funnel()->then(function (): string {
                self::refuseWrites();
                return 'result';
            }));
        } finally {
            self::refuseWrites(false);
        }
    }

    public function testASlotEndsWithItsSeconds(): void
    {
        $this->funnel(1)->releaseAfter(1)->then(function (): void {
            usleep(1_200_000);
            self::assertSame('in', $this->funnel(1)->then(fn (): string => 'in'));
        });
    }

    public function testAReleaseWakesTheCallerThatWaits(): void
    {
        $pipes = [];
        $process = null;
        $this->funnel(1)->then(function () use (&$pipes, &$process): void {
            $process = proc_open([PHP_BINARY, __DIR__ . '/waiter.php', $this->name, 'funnel'],
                [['pipe', 'r'], ['pipe', 'w']], $pipes);
            self::assertIsResource($process);
            $end = microtime(true) + 10;
            while (self::redis()->inspect($this->name)?->waiters !== 1) {
                self::assertLessThan($end, microtime(true), 'it is not in the queue');
                usleep(5_000);
            }
        });
        self::assertIsResource($process);
        self::assertSame("waiting\n", fgets($pipes[1]));
        self::assertGreaterThan(0, (float) fgets($pipes[1]));
        self::assertSame(0, proc_close($process));
    }

    public function testOnSeveralServersLaravelAsksForOneLockAfterAnother(): void
    {
        self::application(['cache.stores.redislock.servers' => self::dsns()]);
        self::assertSame('out',
            $this->funnel()->then(fn (): mixed => $this->funnel()->then(fn (): mixed =>
                $this->funnel()->then(fn (): string => 'in', fn (): string => 'out'))));
    }

    public function testALimitBelowOneLetsNoCallerIn(): void
    {
        self::assertSame('out', $this->funnel(0)->then(fn (): string => 'in',
            fn (): string => 'out'));
    }

    public function testALimitAboveTheSlotsOfALock(): void
    {
        self::assertSame('in', $this->funnel(100)->then(fn (): string => 'in'));
    }

    public function testTheEventsOfTheCacheStay(): void
    {
        app()->register(EventServiceProvider::class);
        Cache::forgetDriver('redislock');
        $repository = Cache::store();
        self::assertInstanceOf(RedisLockRepository::class, $repository);
        self::assertInstanceOf(Dispatcher::class, $repository->getEventDispatcher());
    }
}
