<?php
/* cheprasov/php-redis-lock on its own client. Another look each 5 ms. */
use RedisClient\RedisClient;
use RedisLock\RedisLock as CheprasovLock;

return fn (int $port, string $packages): Peer => new class($port, $packages) extends Peer {
    private RedisClient $redis;

    public function __construct(int $port, string $packages)
    {
        // Its code is older than PHP 8.
        error_reporting(E_ALL & ~E_DEPRECATED);
        require_once "$packages/vendor/autoload.php";
        $this->redis = new RedisClient(['server' => "tcp://127.0.0.1:$port", 'timeout' => 10]);
    }

    public function within(string $key, callable $section): bool
    {
        $lock = new CheprasovLock($this->redis, $key, CheprasovLock::FLAG_DO_NOT_THROW_EXCEPTIONS);
        if (!$lock->acquire(self::TTL, self::WAIT)) {
            return false;
        }
        $section();
        $lock->release();
        return true;
    }
};
