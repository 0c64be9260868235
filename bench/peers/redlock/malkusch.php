<?php
/*
 * malkusch/lock (php-lock/lock): DistributedMutex over a RedisMutex for each server, on phpredis.
 * Asks one server after the other, in random order. Pauses of 10 to 20 ms at first, a quarter
 * longer each time.
 */
use Malkusch\Lock\Exception\LockAcquireTimeoutException;
use Malkusch\Lock\Mutex\DistributedMutex;
use Malkusch\Lock\Mutex\RedisMutex;

return fn (array $ports, string $packages): Peer => new class($ports, $packages) extends Peer {
    /** @var list<Redis> */
    private array $servers;

    public function __construct(array $ports, string $packages)
    {
        require_once "$packages/vendor/autoload.php";
        $this->servers = array_map(phpredis_at(...), $ports);
    }

    public function within(string $key, callable $section): bool
    {
        $mutexes =
            array_map(fn (Redis $redis) => new RedisMutex($redis, $key, self::WAIT, self::TTL),
                $this->servers);
        try {
            (new DistributedMutex($mutexes, self::WAIT, self::TTL))->synchronized($section);
            return true;
        } catch (LockAcquireTimeoutException) {
            return false;
        }
    }
};
