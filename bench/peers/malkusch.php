<?php
/* malkusch/lock (php-lock/lock) on phpredis. Pauses of 10 to 20 ms at first, a quarter longer each
 * time. */
use Malkusch\Lock\Exception\LockAcquireTimeoutException;
use Malkusch\Lock\Mutex\RedisMutex;

return fn (int $port, string $packages): Peer => new class($port, $packages) extends Peer {
    private Redis $redis;

    public function __construct(int $port, string $packages)
    {
        require_once "$packages/vendor/autoload.php";
        $this->redis = new Redis();
        $this->redis->connect('127.0.0.1', $port);
    }

    public function within(string $key, callable $section): bool
    {
        try {
            (new RedisMutex($this->redis, $key, self::WAIT, self::TTL))->synchronized($section);
            return true;
        } catch (LockAcquireTimeoutException) {
            return false;
        }
    }
};
