<?php

declare(strict_types=1);

namespace RedisLock\Symfony;

use SensitiveParameter;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\SharedLockInterface;

/**
 * A LockFactory whose locks are leases: the extension renews a lock with autoRelease, which is the
 * default, until its release or the end of its Lock object.
 *
 * A lock without autoRelease, and the lock of a Key that came from another process, are not
 * renewed: they belong to no process.
 */
final class LeaseFactory extends LockFactory
{
    /**
     * @param float $leaseTtl for how many seconds a lock outlives a process that was killed, if
     *   createLock() names no TTL
     * @param float|null $maxHold for how many seconds a lock is renewed at most; then it is lost.
     *   null = as long as the process holds it
     */
    public function __construct(
        private readonly RedisLockStore $leaseStore,
        private readonly float $leaseTtl = 30.0,
        private readonly ?float $maxHold = null,
    ) {
        self::checkTtl($leaseTtl);
        if ($maxHold !== null && !($maxHold > 0)) {
            throw new InvalidArgumentException(
                "maxHold must be more than 0 seconds, or null. Got $maxHold.");
        }
        parent::__construct($leaseStore);
    }

    /**
     * A factory with a store of its own, for a service container.
     *
     * @param string|list<string> $dsn see RedisLockStoreFactory::createStore()
     * @param string|null $prefix put before each key; null = the INI setting redislock.prefix
     * @param float $leaseTtl see the constructor
     * @param float $maxWait for how many seconds a blocking acquire() waits at most
     * @param float|null $maxHold see the constructor
     */
    public static function create(
        #[SensitiveParameter] string|array $dsn = '',
        ?string $prefix = null,
        float $leaseTtl = 30.0,
        float $maxWait = INF,
        ?float $maxHold = null,
    ): self {
        $store = RedisLockStoreFactory::createStore($dsn, $prefix, maxWait: $maxWait);
        return new self($store, $leaseTtl, $maxHold);
    }

    /**
     * @param float|null $ttl for how many seconds the lock outlives a process that was killed, and
     *   without autoRelease its duration; null = leaseTtl, and without autoRelease the initialTtl
     *   of the store
     * @param float|null $maxWait for how many seconds a blocking acquire() of this lock waits at
     *   most; null = as the store says
     */
    public function createLock(
        string $resource,
        ?float $ttl = null,
        bool $autoRelease = true,
        ?float $maxWait = null,
    ): SharedLockInterface {
        return $this->createLockFromKey(new Key($resource), $ttl, $autoRelease, $maxWait);
    }

    /**
     * @param float|null $ttl see createLock()
     * @param float|null $maxWait see createLock()
     */
    public function createLockFromKey(
        Key $key,
        ?float $ttl = null,
        bool $autoRelease = true,
        ?float $maxWait = null,
    ): SharedLockInterface {
        if ($maxWait !== null && !($maxWait >= 0)) {
            throw new InvalidArgumentException(
                "maxWait must be 0 seconds or more, or null. Got $maxWait.");
        }
        $ttl ??= $autoRelease ? $this->leaseTtl : null;
        if ($ttl !== null) {
            self::checkTtl($ttl);
        }
        $this->leaseStore->setTerms($key, new LockTerms(
            leaseTtl: $autoRelease ? $ttl : null, maxHold: $this->maxHold, maxWait: $maxWait));
        return parent::createLockFromKey($key, $ttl, $autoRelease);
    }

    private static function checkTtl(float $ttl): void
    {
        if (!($ttl >= RedisLockStore::MIN_TTL && $ttl <= RedisLockStore::MAX_TTL)) {
            throw new InvalidTtlException(
                "The TTL of a lock must be from 5 ms to 366 days. Got $ttl s.");
        }
    }
}
