<?php

declare(strict_types=1);

namespace RedisLock\Testing\Tests\Suites;

use PHPUnit\Framework\TestCase;
use RedisLock;
use RedisLockLease;

/**
 * Each test takes the locks that the other one leaves behind, in setUp() and in the test. All of
 * its tests pass only if the servers are emptied before each of them.
 */
abstract class LocksTest extends TestCase
{
    /** @var list<RedisLockLease> what the tests forget to release */
    private static array $kept = [];

    protected function setUp(): void
    {
        self::assertNotNull((new RedisLock('memory://'))->acquire('of setUp', 3600));
    }

    private function take(): void
    {
        $lock = new RedisLock('memory://');
        self::assertNotNull($lock->acquire('a token', 3600), 'the lock of another test is there');
        $lease = $lock->lease('a lease', 30, onLoss: static function (): void {
            self::fail('onLoss of another test');
        });
        self::assertNotNull($lease);
        self::$kept[] = $lease;
        self::assertNotEmpty(self::$kept);
        self::assertNotNull((new RedisLock('memory://shop'))->acquire('another server', 3600));
        RedisLock::advance(60);
        self::assertTrue($lease->isHeld());
        self::assertTrue($lock->isLocked('of setUp'), 'the servers were emptied after setUp()');
    }

    public function testOne(): void
    {
        $this->take();
    }

    public function testTwo(): void
    {
        $this->take();
    }
}
