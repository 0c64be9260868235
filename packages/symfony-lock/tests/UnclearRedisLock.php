<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use RedisLock;
use RedisLockConnectionException;
use RedisLockLease;

/** While it fails, no answer to lease() arrives. It counts the calls of extend(). */
final class UnclearRedisLock extends RedisLock
{
    public bool $fails = false;
    private int $extends = 0;

    /**
     * @param string|array<int, string> $key
     * @param (callable(RedisLockLease): mixed)|null $onLoss
     * @param (callable(): (bool|null|void))|null $abort
     * @psalm-suppress MethodSignatureMismatch Psalm takes the type "array" for that of $key
     */
    public function lease(
        string|array $key,
        float $ttl = 30.0,
        float $wait = 0.0,
        bool $renew = true,
        ?float $maxHold = null,
        ?callable $onLoss = null,
        #[\SensitiveParameter] ?string $token = null,
        ?callable $abort = null,
        int $slots = 1,
    ): ?RedisLockLease {
        return $this->fails ? throw new RedisLockConnectionException('outcome unknown')
            : parent::lease($key, $ttl, $wait, $renew, $maxHold, $onLoss, $token, $abort, $slots);
    }

    public function extend(string $key, #[\SensitiveParameter] string $token, float $ttl): bool
    {
        $this->extends++;
        return parent::extend($key, $token, $ttl);
    }

    public function extends(): int
    {
        return $this->extends;
    }
}
