<?php

declare(strict_types=1);

namespace Shop;

use RedisLock;
use RedisLockConnectionException;
use RedisLockException;
use RedisLockServerException;
use RedisLockTimeoutException;

/** What a shop does under a lock, in each of the three forms that a lock has. */
final class Shop
{
    /** @param array<string, int> $stock article => units; stands for the database */
    public function __construct(
        private readonly RedisLock $lock,
        private array $stock = [],
        private readonly float $wait = 2.0,
    ) {
    }

    public function stock(string $article): int
    {
        return $this->stock[$article] ?? 0;
    }

    /** Sells one unit. A section: customers of the same article come one after the other. */
    public function sell(string $article): Outcome
    {
        try {
            return $this->lock->synchronized("stock:$article", function () use ($article): Outcome {
                if ($this->stock($article) === 0) {
                    return Outcome::SoldOut;
                }
                $this->stock[$article]--;
                return Outcome::Done;
            }, ttl: 10, wait: $this->wait);
        } catch (RedisLockTimeoutException) {
            return Outcome::Busy;
        } catch (RedisLockConnectionException | RedisLockServerException) {
            return Outcome::Unavailable;
        }
    }

    /**
     * Charges the customer. A token: it ends by its TTL even if the process is killed, and is not
     * renewed.
     *
     * @param callable(): void $charge
     */
    public function pay(int $order, callable $charge): Outcome
    {
        try {
            $token = $this->lock->acquire("order:$order", ttl: 60);
        } catch (RedisLockException) {
            return Outcome::Unavailable;
        }
        if ($token === null) {
            return Outcome::Busy;       // the second click
        }
        $charge();
        try {
            return $this->lock->release("order:$order", $token) ? Outcome::Done : Outcome::Doubtful;
        } catch (RedisLockException) {
            return Outcome::Doubtful;   // the extension repeats the release
        }
    }

    /**
     * Adds what has arrived. A lease: it is renewed as long as the import runs, an hour at most.
     *
     * @param iterable<string, int> $deliveries article => units
     *
     * @throws RedisLockException when Redis fails, or the lock is lost during the import
     */
    public function import(iterable $deliveries): Outcome
    {
        $lease = $this->lock->lease('import', ttl: 30, maxHold: 3600);
        if ($lease === null) {
            return Outcome::Busy;
        }
        foreach ($deliveries as $article => $units) {
            $lease->assertHeld();       // another process may be importing by now
            $this->stock[$article] = $this->stock($article) + $units;
        }
        return $lease->release() ? Outcome::Done : Outcome::Doubtful;
    }
}
