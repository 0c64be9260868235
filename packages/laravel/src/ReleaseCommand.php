<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use RedisLock;
use RedisLockState;

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
        [$owner, $state] = self::look($redisLock, $key);
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
        $isFreed = $owner === null ? self::freeWithoutOwner($redisLock, $key, $state)
            : $redisLock->release($key, $owner);
        if (!$isFreed) {
            $this->line('Nothing was freed: ' . ($owner !== null
                ? 'this holder no longer has the lock.'
                : 'the lock has changed hands or ended meanwhile.'));
            return self::FAILURE;
        }
        $this->line(self::shown($name) . ' is freed');
        return self::SUCCESS;
    }

    /**
     * Asks for the owner before the state that is shown: the lock is freed by this owner, and a
     * holder that comes later keeps it. A lock that is taken between both questions seems to have
     * no owner, and is asked for again.
     *
     * @return array{?string, ?RedisLockState}
     */
    private static function look(RedisLock $redisLock, string $key): array
    {
        $owner = $redisLock->owner($key);
        $state = $redisLock->inspect($key);
        return $owner !== null || $state === null || $state->isDone || $state->isReserved
            ? [$owner, $state] : [$redisLock->owner($key), $redisLock->inspect($key)];
    }

    /**
     * There is no owner of a mark of Once, of a reservation, of a lock of symfony/lock, or where no
     * majority has the same owner. A holder that has come since the look at $shown keeps the lock.
     */
    private static function freeWithoutOwner(
        RedisLock $redisLock,
        string $key,
        RedisLockState $shown,
    ): bool {
        [$owner, $state] = self::look($redisLock, $key);
        return $owner === null && $state !== null && self::kind($state) === self::kind($shown)
            && $redisLock->forceRelease($key);
    }

    /** @return list<bool|string|null> */
    private static function kind(RedisLockState $state): array
    {
        return [$state->isDone, $state->isReserved, $state->isForeign, $state->label];
    }
}
