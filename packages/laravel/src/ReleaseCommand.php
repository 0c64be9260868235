<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

/**
 * @internal
 * @psalm-suppress PropertyNotSetInConstructor Laravel sets the properties later
 */
final class ReleaseCommand extends LockCommand
{
    /** @var string */
    protected $signature = 'redislock:release
        {key : the key of the lock, as in Cache::lock()}
        {--store= : a store of config/cache.php; by default the default store}
        {--force : do not ask}';

    /** @var string */
    protected $description = 'Free a lock of the cache, whoever holds it';

    protected function handleLock(RedisLockProvider $store, string $name): int
    {
        $key = $store->lockKey($name);
        $redisLock = $store->getRedisLock();
        /* The lock is freed by this owner: a holder that comes later keeps it. */
        $owner = $redisLock->owner($key);
        $state = $redisLock->inspect($key);
        if ($state === null) {
            $this->showFree($store, $name);
            return self::SUCCESS;
        }
        $this->showHeld($state, $name);
        $isSure = $this->option('force') === true || $this->confirm(
            'Free it? If its holder is still at work, another process may begin the same work.');
        if (!$isSure) {
            $this->line('Nothing was freed.' . ($this->input->isInteractive() ? ''
                : ' To free it without a question, pass --force.'));
            return self::FAILURE;
        }
        $isFreed = $owner === null ? $redisLock->forceRelease($key)
            : $redisLock->release($key, $owner);
        if (!$isFreed) {
            $this->line('Nothing was freed: this holder no longer has the lock.');
            return self::FAILURE;
        }
        $this->line(self::shown($name) . ' is freed');
        return self::SUCCESS;
    }
}
