<?php

declare(strict_types=1);

namespace Shop\Tests;

use Generator;
use PHPUnit\Framework\TestCase;
use RedisLock;
use RedisLockConnectionException;
use RedisLockLoss;
use RedisLockLostException;
use RedisLockServerException;
use Shop\Outcome;
use Shop\Shop;

/** No test needs a server, or sleeps: the locks and their clock are in this process. */
final class ShopTest extends TestCase
{
    /** The DSN of a server that no other test uses: it has no locks yet. */
    private string $server = '';

    protected function setUp(): void
    {
        $this->server = 'memory://' . uniqid();
    }

    /** @param string|list<string>|null $servers DSNs; null = the server of the test */
    private function shop(string|array|null $servers = null): Shop
    {
        return new Shop(new RedisLock($servers ?? $this->server), ['tea' => 2], wait: 0);
    }

    /** The lock as another process has it. */
    private function other(): RedisLock
    {
        return new RedisLock($this->server);
    }

    public function testAUnitIsSold(): void
    {
        $shop = $this->shop();
        self::assertSame(Outcome::Done, $shop->sell('tea'));
        self::assertSame(1, $shop->stock('tea'));
        self::assertFalse($this->other()->isLocked('stock:tea'), 'the lock is free again');
    }

    // --- The lock is refused

    public function testNothingIsSoldWhileAnotherProcessSells(): void
    {
        $shop = $this->shop();
        $token = (string) $this->other()->acquire('stock:tea');
        self::assertSame(Outcome::Busy, $shop->sell('tea'));
        self::assertSame(2, $shop->stock('tea'));

        $this->other()->release('stock:tea', $token);
        self::assertSame(Outcome::Done, $shop->sell('tea'));
    }

    public function testTheSecondClickDoesNotChargeAgain(): void
    {
        $shop = $this->shop();
        $charges = 0;
        $outcome = $shop->pay(7, function () use ($shop, &$charges): void {
            $charges++;
            self::assertSame(Outcome::Busy, $shop->pay(7, function () use (&$charges): void {
                $charges++;
            }));
        });
        self::assertSame(Outcome::Done, $outcome);
        self::assertSame(1, $charges);
    }

    // --- The lock ends by its TTL

    public function testAPaymentThatTakesLongerThanItsLockIsDoubtful(): void
    {
        $outcome = $this->shop()->pay(7, function (): void {
            RedisLock::advance(60);
            self::assertFalse($this->other()->isLocked('order:7'));
        });
        self::assertSame(Outcome::Doubtful, $outcome);
    }

    public function testTheLockOfAKilledProcessEndsAfterAMinute(): void
    {
        $token = $this->other()->acquire('order:7', ttl: 60);
        self::assertNotNull($token);        // the process is killed now
        RedisLock::advance(59);
        self::assertSame(Outcome::Busy, $this->shop()->pay(7, static fn () => null));
        RedisLock::advance(2);
        self::assertSame(Outcome::Done, $this->shop()->pay(7, static fn () => null));
    }

    public function testALongImportKeepsItsLock(): void
    {
        $shop = $this->shop();
        $deliveries = (static function (): Generator {
            yield 'tea' => 10;
            RedisLock::advance(3000);       // renewed every ten seconds meanwhile
            yield 'coffee' => 5;
        })();
        self::assertSame(Outcome::Done, $shop->import($deliveries));
        self::assertSame(5, $shop->stock('coffee'));
    }

    // --- The lock is lost

    public function testAnImportEndsWhenItsLockIsLost(): void
    {
        $shop = $this->shop();
        $deliveries = (function (): Generator {
            yield 'tea' => 10;
            $this->other()->forceRelease('import');     // an administrator
            RedisLock::advance(10);                     // the next renewal finds out
            yield 'coffee' => 5;
        })();
        try {
            $shop->import($deliveries);
            self::fail('the import went on');
        } catch (RedisLockLostException $e) {
            self::assertSame(RedisLockLoss::Deleted, $e->getLoss());
            self::assertSame([12, 0], [$shop->stock('tea'), $shop->stock('coffee')]);
        }
    }

    public function testAnImportThatHangsLosesItsLockAfterAnHour(): void
    {
        $deliveries = (static function (): Generator {
            RedisLock::advance(3600);
            yield 'tea' => 10;
        })();
        $this->expectException(RedisLockLostException::class);
        $this->expectExceptionMessage('maxHold');
        $this->shop()->import($deliveries);
    }

    // --- The server fails

    public function testNothingIsSoldWhenTheServerRefusesConnections(): void
    {
        $shop = $this->shop("$this->server?fail=refused");
        self::assertSame(Outcome::Unavailable, $shop->sell('tea'));
        self::assertSame(2, $shop->stock('tea'));
    }

    public function testNobodyIsChargedWhenTheServerDoesNotAnswer(): void
    {
        $shop = $this->shop("$this->server?fail=timeout&timeout=0.01");     // in real time
        $outcome = $shop->pay(7, static fn () => self::fail('the customer was charged'));
        self::assertSame(Outcome::Unavailable, $outcome);
    }

    public function testNothingIsImportedWhenTheServerIsAReplica(): void
    {
        $shop = $this->shop("$this->server?fail=readonly");
        try {
            $shop->import(['tea' => 10]);
            self::fail('it was imported without a lock');
        } catch (RedisLockServerException $e) {
            self::assertSame('READONLY', $e->getErrorCode());
            self::assertSame(2, $shop->stock('tea'));
        }
    }

    public function testALockWhoseReplyWasLostStaysUntilItsTtl(): void
    {
        $shop = $this->shop("$this->server?fail=lost-reply&timeout=0.01");
        self::assertSame(Outcome::Unavailable, $shop->sell('tea'));

        $shop = $this->shop();                                  // the network is well again
        self::assertSame(Outcome::Busy, $shop->sell('tea'));    // the lost reply had granted it
        RedisLock::advance(11);
        self::assertSame(Outcome::Done, $shop->sell('tea'));
    }

    /** Only a double can fail between two calls: a server in memory always fails, or never. */
    public function testAPaymentWhoseLockCannotBeFreedIsDoubtful(): void
    {
        $lock = self::createStub(RedisLock::class);
        $lock->method('acquire')->willReturn('token');
        $lock->method('release')->willThrowException(new RedisLockConnectionException('closed'));
        $outcome = (new Shop($lock))->pay(7, static fn () => null);
        self::assertSame(Outcome::Doubtful, $outcome);
    }

    public function testAMajorityOfTheServersIsEnough(): void
    {
        [$a, $b, $c] = ["$this->server-a", "$this->server-b", "$this->server-c"];
        self::assertSame(Outcome::Done, $this->shop([$a, $b, "$c?fail=refused"])->sell('tea'));
        self::assertSame(Outcome::Unavailable,
            $this->shop([$a, "$b?fail=refused", "$c?fail=refused"])->sell('tea'));
    }
}
