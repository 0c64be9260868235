<?php

declare(strict_types=1);

namespace RedisLock\Revolt\Tests;

use Amp\CancelledException;
use Amp\DeferredCancellation;
use Amp\Future;
use Amp\NullCancellation;
use Amp\TimeoutCancellation;
use Closure;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock;
use RedisLockLease;
use Revolt\EventLoop;
use Revolt\EventLoop\UncaughtThrowable;

use function Amp\async;
use function Amp\delay;
use function RedisLock\Revolt\cancellable;
use function RedisLock\Revolt\install;

/** Calls of the extension wait in the event loop. */
final class InstallTest extends TestCase
{
    public function testTheLoopRunsWhileAFiberWaits(): void
    {
        $held = $this->hold();
        self::assertTicks(function (): void {
            self::assertNull(async(fn () => self::lock()->acquire($this->name, 60, 1.0))->await());
        });
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testTheLoopRunsWhileMainWaits(): void
    {
        $held = $this->hold();
        self::assertTicks(function (): void {
            self::assertNull(self::lock()->acquire($this->name, 60, 1.0));
        });
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testTwoFibersHandTheLockOver(): void
    {
        $lock = self::lock();
        $delays = [];
        $freed = null;
        $work = function () use ($lock, &$delays, &$freed): void {
            for ($i = 0; $i < 100; $i++) {
                $lease = $lock->lease($this->name, 60, 60);
                if ($freed !== null) {
                    $delays[] = hrtime(true) - $freed;
                }
                delay(0.001);
                $freed = hrtime(true);
                $lease?->release();
            }
        };
        Future\await([async($work), async($work)]);
        sort($delays);
        /* Under 1 ms on a machine with nothing else to do. */
        self::assertLessThan(10e6, $delays[100] ?? INF);
        $this->assertNothingIsLeft();
    }

    public function testTwoHundredFibersEnterOneByOne(): void
    {
        $lock = self::lock();
        $held = $this->hold();
        $entered = [];
        $inside = 0;
        $section = function (int $i) use ($lock, &$entered, &$inside): void {
            $work = static function () use ($i, &$entered, &$inside): void {
                self::assertSame(1, ++$inside);
                $entered[] = $i;
                delay(0.001);
                $inside--;
            };
            $lock->synchronized($this->name, $work, 60, 60);
        };
        $futures = [];
        for ($i = 0; $i < 200; $i++) {
            $futures[] = async($section, $i);
        }
        $this->untilWaiting(200);
        $this->free($held);
        Future\await($futures);
        sort($entered);
        self::assertSame(range(0, 199), $entered);
        $this->assertNothingIsLeft();
    }

    public function testACancellationEndsTheWaitOfItsFiberOnly(): void
    {
        $lock = self::lock();
        $held = $this->hold();
        [$cancellation, $cancelled] = $this->beginWait($lock);
        $other = async(fn () => $lock->lease($this->name, 60, 60));
        $this->untilWaiting(2);
        $cancellation->cancel();
        $this->assertIsCancelled($cancelled->await(...), 1);
        $this->free($held);
        $lease = $other->await();
        self::assertInstanceOf(RedisLockLease::class, $lease);
        self::assertTrue($lease->release());
        $this->assertNothingIsLeft();
    }

    /** @return array{DeferredCancellation, Future<string|null>} */
    private function beginWait(RedisLock $lock): array
    {
        $cancellation = new DeferredCancellation();
        return [$cancellation, async(cancellable(...), $cancellation->getCancellation(),
            fn () => $lock->acquire($this->name, 60, 60))];
    }

    /** @param Closure(): mixed $wait */
    private function assertIsCancelled(Closure $wait, int $waitersLeft = 0): void
    {
        try {
            $wait();
            self::fail('the wait went on');
        } catch (CancelledException) {
            self::assertSame($waitersLeft, $this->waiters());
        }
    }

    public function testACancellationOutlastsAnotherInstall(): void
    {
        $held = $this->hold();
        [$cancellation, $cancelled] = $this->beginWait(self::lock());
        $this->untilWaiting(1);
        install();
        delay(1.5); // by then the wait has looked again, with the new waiter
        $cancellation->cancel();
        $this->assertIsCancelled($cancelled->await(...));
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testACancellationEndsAWaitInMain(): void
    {
        $lock = self::lock();
        $held = $this->hold();
        $this->assertIsCancelled(fn () => cancellable(new TimeoutCancellation(0.1),
            fn () => $lock->acquire($this->name, 60, 60)));
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testACancellationThatCameBeforeEndsTheWait(): void
    {
        $held = $this->hold();
        $cancellation = new DeferredCancellation();
        $cancellation->cancel();
        $this->assertIsCancelled(fn () => cancellable($cancellation->getCancellation(),
            fn () => self::lock()->acquire($this->name, 60, 60)));
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testACancellationDisturbsNeitherTheGrantNorTheRelease(): void
    {
        $cancellation = new DeferredCancellation();
        $cancellation->cancel();
        $lock = self::lock();
        for ($i = 0; $i < 100; $i++) {          // an answer that is there at once needs no waiter
            $result = cancellable($cancellation->getCancellation(),
                fn () => $lock->synchronized($this->name, fn () => $i, 60, 60));
            self::assertSame($i, $result);
        }
        $this->assertNothingIsLeft();
    }

    /** @return array<string, array{bool, bool}> */
    public static function places(): array
    {
        return ['the outer one' => [true, false], 'the inner one' => [false, true]];
    }

    #[DataProvider('places')]
    public function testOfTwoCancellationsBothCount(bool $isOuter, bool $isInner): void
    {
        $held = $this->hold();
        $never = new NullCancellation();
        $soon = new TimeoutCancellation(0.05);
        $outer = $isOuter ? $soon : $never;
        $inner = $isInner ? $soon : $never;
        $this->assertIsCancelled(fn () => cancellable($outer, fn () => cancellable($inner,
            fn () => self::lock()->acquire($this->name, 60, 60))));
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testACancellationCountsOnlyDuringItsFunction(): void
    {
        $held = $this->hold();
        $cancellation = new DeferredCancellation();
        cancellable($cancellation->getCancellation(), static fn () => null);
        $cancellation->cancel();
        self::assertNull(self::lock()->acquire($this->name, 60, 0.05));
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testACancellationOfAllEndsEachWait(): void
    {
        $cancellation = new DeferredCancellation();
        install($cancellation->getCancellation());
        $held = $this->hold();
        $futures = [];
        for ($i = 0; $i < 10; $i++) {
            $futures[] = async(fn () => self::lock()->acquire($this->name, 60, 60));
        }
        $this->untilWaiting(10);
        $cancellation->cancel();
        [$errors] = Future\awaitAll($futures);
        self::assertCount(10, $errors);
        self::assertContainsOnlyInstancesOf(CancelledException::class, $errors);
        self::assertSame(0, $this->waiters());
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testAnEndedWaitLeavesNothingInTheLoop(): void
    {
        $before = count(EventLoop::getIdentifiers());
        $held = $this->hold();
        $cancellation = new SpyCancellation();
        for ($i = 0; $i < 20; $i++) {
            cancellable($cancellation, fn () => self::lock()->acquire($this->name, 60, 0.01));
        }
        $this->free($held);
        self::assertCount($before, EventLoop::getIdentifiers());
        self::assertNotSame([], $cancellation->all);
        self::assertSame([], $cancellation->subscribed);
        /* The loop may have been about to call one when the wait ended. */
        foreach ($cancellation->all as $callback) {
            $callback(new CancelledException());
        }
        $this->assertNothingIsLeft();
    }

    public function testAnExceptionOfTheLoopEndsAWaitInMain(): void
    {
        $held = $this->hold();
        EventLoop::delay(0.05, static fn () => throw new LogicException('of another'));
        try {
            $token = self::lock()->acquire($this->name, 60, 60);
            self::fail("the wait went on: $token");
        } catch (UncaughtThrowable $e) {
            self::assertInstanceOf(LogicException::class, $e->getPrevious());
        }
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testALeaseIsRenewedWhileTheLoopIsBusy(): void
    {
        $lease = async(fn () => self::lock()->lease($this->name, 1, 5))->await();
        self::assertInstanceOf(RedisLockLease::class, $lease);
        usleep(1_500_000);
        self::assertTrue($lease->verify());
        self::assertTrue($lease->release());
        $this->assertNothingIsLeft();
    }

    public function testWithoutTheWaiterTheLoopStands(): void
    {
        RedisLock::waitWith(null);
        $held = $this->hold();
        $ticks = self::ticksDuring(function (): void {
            self::assertNull(async(fn () => self::lock()->acquire($this->name, 60, 0.3))->await());
        });
        self::assertLessThanOrEqual(2, $ticks);
        $this->free($held);
    }
}
