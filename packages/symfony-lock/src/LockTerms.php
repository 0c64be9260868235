<?php

declare(strict_types=1);

namespace RedisLock\Symfony;

/**
 * How the store takes the lock of a Key, as far as Symfony's interfaces cannot say it.
 *
 * @internal
 */
final class LockTerms
{
    /**
     * @param float|null $leaseTtl the lock is a lease, which the extension renews: for how many
     *   seconds the lock outlives a killed process; null = it is not renewed
     * @param float|null $maxHold for how many seconds a lease is renewed at most; null = no limit
     * @param float|null $maxWait for how many seconds waitAndSave() waits at most; null = as the
     *   store says
     */
    public function __construct(
        public readonly ?float $leaseTtl = null,
        public readonly ?float $maxHold = null,
        public readonly ?float $maxWait = null,
    ) {
    }
}
