<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use Symfony\Component\Lock\LockFactory;

/** A service with factories by autowiring: the default one, and the named ones of the README. */
final class Consumer
{
    public function __construct(
        public readonly ?LockFactory $lockFactory = null,
        public readonly ?LockFactory $invoiceLockFactory = null,
        public readonly ?LockFactory $importLockFactory = null,
    ) {
    }
}
