<?php

declare(strict_types=1);

namespace RedisLock\Revolt\Tests;

use Amp\CancelledException;
use Amp\DeferredCancellation;
use Amp\Future;
use Amp\Sync\PrefixedKeyedMutex;
use Amp\Sync\StaticKeyMutex;
use Amp\Sync\SyncException;
use Amp\TimeoutCancellation;
use RedisLock;
use RedisLock\Revolt\RedisLockKeyedMutex;
use RedisLockConnectionException;
use RedisLockLease;
use RedisLockLoss;
use Revolt\EventLoop;

use function Amp\async;
use function Amp\delay;
use function Amp\Sync\synchronized;

/** The mutex of amphp. */
final class RedisLockKeyedMutexTest extends TestCase
{
    public function testFibersHaveTheLockOneByOne(): void
    {
        $mutex = new RedisLockKeyedMutex(self::lock());
        $inside = 0;
        $entered = 0;
        $work = function () use ($mutex, &$inside, &$entered): void {
            for ($i = 0; $i < 5; $i++) {
                $lock = $mutex->acquire($this->name);
                self::assertSame(1, ++$inside);
                delay(0.002);
                $inside--;
                $entered++;
                $lock->release();
            }
        };
        Future\await(array_map(static fn () => async($work), range(1, 20)));
        self::assertSame(100, $entered);
        $this->assertNothingIsLeft();
    }

    public function testTheReleaseFreesTheLockOnTheServer(): void
    {
        $lock = (new RedisLockKeyedMutex(self::lock()))->acquire($this->name);
        self::assertTrue(self::lock()->isLocked($this->name));
        self::assertFalse($lock->isReleased());
        $lock->release();
        self::assertTrue($lock->isReleased());
        self::assertFalse(self::lock()->isLocked($this->name));
        $lock->release();
        $this->assertNothingIsLeft();
    }

    public function testALockThatIsDroppedIsFree(): void
    {
        $mutex = new RedisLockKeyedMutex(self::lock());
        $lock = $mutex->acquire($this->name);
        unset($lock);
        $mutex->acquire($this->name)->release();
        $this->assertNothingIsLeft();
    }

    public function testTheLockIsRenewed(): void
    {
        $lock = (new RedisLockKeyedMutex(self::lock(), ttl: 1))->acquire($this->name);
        delay(1.5);
        self::assertTrue(self::lock()->isLocked($this->name));
        $lock->release();
        $this->assertNothingIsLeft();
    }

    public function testTheLockEndsWithItsLongestHold(): void
    {
        $lock = (new RedisLockKeyedMutex(self::lock(), ttl: 1, maxHold: 1.5))
            ->acquire($this->name);
        delay(2);
        self::assertFalse(self::lock()->isLocked($this->name));
        $this->expectException(SyncException::class);
        $this->expectExceptionMessage('was lost before its release: MaxHold');
        $lock->release();
    }

    public function testALossIsReportedAtOnceAndByTheRelease(): void
    {
        $cancellation = new DeferredCancellation();
        $reason = null;
        $mutex = new RedisLockKeyedMutex(self::lock(), ttl: 1,
            onLoss: static function (RedisLockLease $lease) use ($cancellation, &$reason): void {
                $reason = $lease->loss();
                $cancellation->cancel();
            });
        $timers = EventLoop::getIdentifiers();
        $lock = $mutex->acquire($this->name);
        self::lock()->forceRelease($this->name);
        $start = microtime(true);
        try {
            delay(10, cancellation: $cancellation->getCancellation());
            self::fail('the work went on');
        } catch (CancelledException) {
            self::assertSame(RedisLockLoss::Deleted, $reason);
            self::assertLessThan(3, microtime(true) - $start);
        }
        try {
            $lock->release();
            self::fail('the release hid the loss');
        } catch (SyncException $e) {
            self::assertStringContainsString("\"$this->name\" was lost", $e->getMessage());
        }
        self::assertTrue($lock->isReleased());
        self::assertSame($timers, EventLoop::getIdentifiers());
        $this->assertNothingIsLeft();
    }

    public function testALossThatTheReleaseFindsIsReportedByIt(): void
    {
        $lock = (new RedisLockKeyedMutex(self::lock()))->acquire($this->name);
        self::lock()->forceRelease($this->name);
        $this->expectException(SyncException::class);
        $this->expectExceptionMessage("the lock \"$this->name\" was lost before its release");
        $lock->release();
    }

    public function testACancellationEndsTheWait(): void
    {
        $mutex = new RedisLockKeyedMutex(self::lock());
        $held = $mutex->acquire($this->name);
        $waiting = async(fn () => $mutex->acquire($this->name, new TimeoutCancellation(0.1)));
        try {
            $waiting->await();
            self::fail('the wait went on');
        } catch (CancelledException) {
            self::assertSame(0, $this->waiters());
        }
        $held->release();
        $this->assertNothingIsLeft();
    }

    public function testACancellationThatCameBeforeTakesNoLock(): void
    {
        $cancellation = new DeferredCancellation();
        $cancellation->cancel();
        try {
            $lock = (new RedisLockKeyedMutex(self::lock()))
                ->acquire($this->name, $cancellation->getCancellation());
            $lock->release();
            self::fail('it has taken the lock');
        } catch (CancelledException) {
            $this->assertNothingIsLeft();
        }
    }

    public function testTheWaitHasAnEnd(): void
    {
        $held = $this->hold();
        try {
            $lock = (new RedisLockKeyedMutex(self::lock(), wait: 0.1))->acquire($this->name);
            $lock->release();
            self::fail('it has taken the lock');
        } catch (SyncException $e) {
            self::assertSame("could not acquire the lock \"$this->name\" within 0.1 s: it is held",
                $e->getMessage());
        }
        $this->free($held);
        $this->assertNothingIsLeft();
    }

    public function testAServerThatIsAwayIsASyncException(): void
    {
        $mutex = new RedisLockKeyedMutex(new RedisLock('memory://?fail=refused', outageWait: 0));
        try {
            $mutex->acquire($this->name)->release();
            self::fail('it has taken the lock');
        } catch (SyncException $e) {
            self::assertInstanceOf(RedisLockConnectionException::class, $e->getPrevious());
        }
    }

    /** Revolt runs callbacks in one Fiber, one after another, and any may release a lock. */
    public function testACallbackReleasesTheLockForWhichItsFiberWaits(): void
    {
        $mutex = new RedisLockKeyedMutex(self::lock());
        $lock = $mutex->acquire($this->name);
        EventLoop::delay(0.1, $lock->release(...));
        $mutex->acquire($this->name)->release();
        $this->assertNothingIsLeft();
    }

    public function testAmphpsOwnFunctionsAndMutexesUseIt(): void
    {
        $name = $this->name;
        $mutex = new StaticKeyMutex(
            new PrefixedKeyedMutex(new RedisLockKeyedMutex(self::lock()), "$name:"), 'a');
        $result = synchronized($mutex, static fn () => self::lock()->isLocked("$name:a"));
        self::assertTrue($result);
        $this->assertNothingIsLeft();
    }

    public function testTheMutexInstallsTheWaiter(): void
    {
        $file = tempnam(sys_get_temp_dir(), 'redislock-revolt-');
        $autoload = var_export(dirname(__DIR__) . '/vendor/autoload.php', true);
        file_put_contents($file, "<?php require $autoload;\n" . '
            $mutex = new RedisLock\Revolt\RedisLockKeyedMutex(new RedisLock($argv[1]));
            $lock = $mutex->acquire($argv[2]);
            $other = Amp\async(fn () => $mutex->acquire($argv[2]));
            Amp\delay(0.05);
            $lock->release();
            $other->await()->release();
            echo "done";');
        $command = [PHP_BINARY, $file, self::dsn(), $this->name];
        $child = proc_open($command, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
        self::assertIsResource($child);
        self::assertSame('done', implode('', array_map(stream_get_contents(...), $pipes)));
        proc_close($child);
        unlink($file);
        $this->assertNothingIsLeft();
    }
}
