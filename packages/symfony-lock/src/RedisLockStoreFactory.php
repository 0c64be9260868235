<?php

declare(strict_types=1);

namespace RedisLock\Symfony;

use RedisLock;
use SensitiveParameter;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use ValueError;

/** Makes stores from the DSNs of the extension redislock. It connects to no server. */
final class RedisLockStoreFactory
{
    /**
     * @param string|list<string> $dsn a DSN of the extension, such as redis://localhost. Several
     *   DSNs, in an array or with spaces between them, are independent servers, a majority of which
     *   has to grant a lock. The empty string is the INI setting redislock.servers
     * @param string|null $prefix put before each key; null = the INI setting redislock.prefix
     * @param float $initialTtl see RedisLockStore
     * @param float $maxWait see RedisLockStore
     */
    public static function createStore(
        #[SensitiveParameter] string|array $dsn = '',
        ?string $prefix = null,
        float $initialTtl = 300.0,
        float $maxWait = INF,
    ): RedisLockStore {
        if (is_string($dsn)) {
            $dsn = preg_split('/\s+/', $dsn, -1, PREG_SPLIT_NO_EMPTY) ?: null;
        }
        try {
            $lock = new RedisLock($dsn, $prefix);
        } catch (ValueError $e) {
            throw new InvalidArgumentException($e->getMessage(), 0, $e);
        }
        return new RedisLockStore($lock, $initialTtl, $maxWait);
    }
}
