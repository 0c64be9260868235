<?php

declare(strict_types=1);

namespace RedisLock\Revolt\Tests;

use Closure;
use PHPUnit\Framework\TestCase as PhpUnit;
use RedisLock;
use Revolt\EventLoop;
use RuntimeException;

use function Amp\delay;
use function RedisLock\Revolt\install;

/** A test with a lock that no other test uses, on the server that scripts/packages has started. */
abstract class TestCase extends PhpUnit
{
    private static int $names = 0;

    protected string $name = '';

    protected function setUp(): void
    {
        $this->name = 'revolt-' . getmypid() . '-' . ++self::$names;
        install();
    }

    protected static function dsn(): string
    {
        $dsns = getenv('REDISLOCK_TEST_DSNS') ?: throw new RuntimeException(
            'REDISLOCK_TEST_DSNS should have the DSNs of three servers');
        return explode(' ', $dsns)[0];
    }

    protected static function lock(): RedisLock
    {
        return new RedisLock(self::dsn());
    }

    /** Takes the lock for another holder: what a call waits for is no lease of its own Fiber. */
    protected function hold(): string
    {
        return self::lock()->acquire($this->name, 60) ?? throw new RuntimeException('it is held');
    }

    protected function free(string $held): void
    {
        self::assertTrue(self::lock()->release($this->name, $held));
    }

    /** A timer of 10 ms counts while the function runs. */
    protected static function ticksDuring(Closure $function): int
    {
        $ticks = 0;
        $timer = EventLoop::repeat(0.01, static function () use (&$ticks): void {
            $ticks++;
        });
        try {
            $function();
        } finally {
            EventLoop::cancel($timer);
        }
        return $ticks;
    }

    /**
     * While the function runs, which takes a second, the timer counts about as far as during a
     * delay of a second; a machine that is busy gets more tries.
     */
    protected static function assertTicks(Closure $function): void
    {
        for ($try = 1;; $try++) {
            $idle = self::ticksDuring(static fn () => delay(1.0));
            $ticks = self::ticksDuring($function);
            if ($ticks >= 0.8 * $idle) {
                break;
            }
            self::assertLessThan(10, $try, "$ticks ticks, and $idle during a delay");
        }
        self::assertGreaterThan(5, $idle);
    }

    /** Runs the loop until so many calls wait for the lock. */
    protected function untilWaiting(int $waiters): void
    {
        for ($i = 0; $this->waiters() !== $waiters; $i++) {
            self::assertLessThan(1000, $i, "$waiters waiters");
            delay(0.005);
        }
    }

    protected function waiters(): int
    {
        return self::lock()->inspect($this->name)->waiters ?? 0;
    }

    /** Neither the lock nor a place in its queue is left; a release may be on its way. */
    protected function assertNothingIsLeft(): void
    {
        $deadline = microtime(true) + 5;
        do {
            $keys = RawServer::keys(self::dsn(), "$this->name*");
            usleep($keys === [] ? 0 : 10_000);
        } while ($keys !== [] && microtime(true) < $deadline);
        self::assertSame([], $keys);
    }
}
