<?php
/*
 * Document 001: a lock should be re-entrant. Its holder may take it again, as when a method calls
 * another method of the same object. In Redisson, for example, the key is a hash with a counter.
 * Here the counter is in the process, and the key is a plain token as usual.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 php -d extension=redislock 001-re-entrant.php
 */

class Stock
{
    private RedisLock $lock;

    /** @param array<string, int> $units by article; the array stands for a table */
    public function __construct(private array $units)
    {
        $this->lock = new RedisLock(getenv('REDIS_URL') ?: null, prefix: 'stock:', reentrant: true);
    }

    public function take(string $article, int $units): void
    {
        $this->lock->synchronized('all', function () use ($article, $units): void {
            if ($this->units[$article] < $units) {
                throw new RuntimeException("there is no more $article");
            }
            $this->units[$article] -= $units;
        }, ttl: 10, wait: 2);
    }

    public function put(string $article, int $units): void
    {
        $this->lock->synchronized('all', fn () => $this->units[$article] += $units, ttl: 10,
            wait: 2);
    }

    /**
     * Both or none, without another process in between: take() and put() enter the lock that is
     * held here already.
     */
    public function exchange(string $back, string $wanted, int $units): void
    {
        $this->lock->synchronized('all', function () use ($back, $wanted, $units): void {
            $this->take($wanted, $units);
            $this->put($back, $units);
        }, ttl: 10, wait: 2);
    }

    /** @return array<string, int> */
    public function units(): array
    {
        return $this->units;
    }
}

/* ---- used so ---- */

$stock = new Stock(['tea' => 5, 'rice' => 1]);
$stock->exchange('tea', 'rice', 1);
echo json_encode($stock->units()), "\n";
try {
    $stock->exchange('tea', 'rice', 1);
} catch (RuntimeException $none) {
    echo $none->getMessage(), "\n"; // the exception has left two sections, and the lock is free
}
echo json_encode($stock->units()), "\n";
