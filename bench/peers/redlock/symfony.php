<?php
/*
 * symfony/lock: CombinedStore with ConsensusStrategy over a RedisStore for each server, on
 * phpredis. Asks one server after the other, twice for each lock; its blocking acquire() tries each
 * 100 ms, 10 more or less, and knows no limit.
 */
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\CombinedStore;
use Symfony\Component\Lock\Store\RedisStore;
use Symfony\Component\Lock\Strategy\ConsensusStrategy;

return fn (array $ports, string $packages): Peer => new class($ports, $packages) extends Peer {
    private LockFactory $factory;

    public function __construct(array $ports, string $packages)
    {
        require_once "$packages/vendor/autoload.php";
        $stores = array_map(fn (int $port) => new RedisStore(phpredis_at($port)), $ports);
        $this->factory = new LockFactory(new CombinedStore($stores, new ConsensusStrategy()));
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
