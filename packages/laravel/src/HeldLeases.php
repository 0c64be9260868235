<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use RedisLockLease;

/**
 * The leases of the callbacks that run now. A lock object that is made inside of a callback, such
 * as that of restoreLock(), finds the lease here: if it released the lock by the owner alone, the
 * lease would count as lost.
 *
 * @internal
 */
final class HeldLeases
{
    /** @var array<string, array<string, RedisLockLease>> the name of the lock, and its owner */
    private array $leases = [];

    public function of(string $name, string $owner): ?RedisLockLease
    {
        return $this->leases[$name][$owner] ?? null;
    }

    /** @return array<string, RedisLockLease> by their owners */
    public function ofName(string $name): array
    {
        return $this->leases[$name] ?? [];
    }

    /** @param RedisLockLease|null $lease null = none, also if there was one */
    public function set(string $name, string $owner, ?RedisLockLease $lease): void
    {
        if ($lease !== null) {
            $this->leases[$name][$owner] = $lease;
            return;
        }
        unset($this->leases[$name][$owner]);
        if (($this->leases[$name] ?? null) === []) {
            unset($this->leases[$name]);
        }
    }
}
