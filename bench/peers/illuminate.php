<?php
/* illuminate/cache, the locks of Laravel, on phpredis. block() tries each 250 ms. */
use Illuminate\Cache\RedisLock as IlluminateLock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Redis\Connections\PhpRedisConnection;

/* block() calls now(), which the framework has, but not this package. */
function now(): DateTimeInterface
{
    return Illuminate\Support\Carbon::now();
}

return fn (int $port, string $packages): Peer => new class($port, $packages) extends Peer {
    private PhpRedisConnection $connection;

    public function __construct(int $port, string $packages)
    {
        require_once "$packages/vendor/autoload.php";
        $redis = new Redis();
        $redis->connect('127.0.0.1', $port);
        $this->connection = new PhpRedisConnection($redis);
    }

    public function within(string $key, callable $section): bool
    {
        try {
            (new IlluminateLock($this->connection, $key, self::TTL))->block(self::WAIT, $section);
            return true;
        } catch (LockTimeoutException) {
            return false;
        }
    }
};
