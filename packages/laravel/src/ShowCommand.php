<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

/**
 * @internal
 * @psalm-suppress PropertyNotSetInConstructor Laravel sets the properties later
 */
final class ShowCommand extends LockCommand
{
    /** @var string */
    protected $signature = 'redislock:show
        {key : the key of the lock, as in Cache::lock()}
        {--store= : a store of config/cache.php; by default the default store}';

    /** @var string */
    protected $description = 'Show who holds a lock of the cache, for how long, and how many wait';

    protected function handleLock(RedisLockProvider $store, string $name): int
    {
        $state = $store->getRedisLock()->inspect($store->lockKey($name));
        if ($state === null) {
            $this->showFree($store, $name);
        } else {
            $this->showHeld($state, $name);
        }
        return self::SUCCESS;
    }
}
