<?php
/* symfony/lock on phpredis. Its blocking acquire() tries each 100 ms, 10 more or less, and knows no
 * limit. */
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;

return fn (int $port, string $packages): Peer => new class($port, $packages) extends Peer {
    private LockFactory $factory;

    public function __construct(int $port, string $packages)
    {
        require_once "$packages/vendor/autoload.php";
        $redis = new Redis();
        $redis->connect('127.0.0.1', $port);
        $this->factory = new LockFactory(new RedisStore($redis));
    }

    public function within(string $key, callable $section): bool
    {
        $lock = $this->factory->createLock($key, self::TTL, autoRelease: false);
        if (!$lock->acquire(blocking: true)) {
            return false;
        }
        $section();
        $lock->release();
        return true;
    }
};
