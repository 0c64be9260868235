<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;
use Illuminate\Cache\Limiters\LimiterTimeoutException;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Events\EventServiceProvider;
use Illuminate\Support\Facades\Cache;
use RuntimeException;

/** Cache::funnel(): at most so many at a time. */
final class FunnelTest extends TestCase
{
    protected function setUp(): void
    {
        if (!class_exists(ConcurrencyLimiterBuilder::class)) {
            self::markTestSkipped('this version of Laravel has no Cache::funnel()');
        }
        parent::setUp();
    }

    private function funnel(int $limit = 2, int $wait = 0): ConcurrencyLimiterBuilder
    {
        return Cache::store()->funnel($this->name)->limit($limit)->releaseAfter(30)->block($wait);
    }

    private function held(): int
    {
        return (int) self::redis()->isLocked($this->name)
            + (int) self::redis()->isLocked("$this->name#2");
    }

    public function testNoMoreThanTheLimitAtATime(): void
    {
        $result = $this->funnel()->then(fn (): string => $this->funnel()->then(
            fn (): string => "{$this->held()} " . $this->funnel()->then(
                fn (): string => self::fail('a third one is in'),
                fn (LimiterTimeoutException $e): string => $e->getMessage())));
        self::assertSame("2 could not get one of the 2 slots of \"$this->name\" within 0 s: all are"
            . ' held', $result);
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
        $process = $this->funnel(1)->then(function () use (&$pipes) {
            $process = proc_open([PHP_BINARY, __DIR__ . '/waiter.php', $this->name, 'funnel'],
                [['pipe', 'r'], ['pipe', 'w']], $pipes);
            self::assertIsResource($process);
            $end = microtime(true) + 10;
            while (self::redis()->inspect($this->name)?->waiters !== 1) {
                self::assertLessThan($end, microtime(true), 'it is not in the queue');
                usleep(5_000);
            }
            return $process;
        });
        self::assertSame("waiting\n", fgets($pipes[1]));
        self::assertGreaterThan(0, (float) fgets($pipes[1]));
        self::assertSame(0, proc_close($process));
    }

    public function testOnSeveralServersLaravelAsksForOneLockAfterAnother(): void
    {
        self::application(['cache.stores.redislock.servers' => self::dsns()]);
        $result = $this->funnel()->then(fn (): string => $this->funnel()->then(fn (): string =>
            $this->funnel()->then(fn (): string => 'in', fn (): string => 'out')));
        self::assertSame('out', $result);
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
        self::assertInstanceOf(Dispatcher::class, Cache::store()->getEventDispatcher());
    }
}
