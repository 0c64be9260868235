<?php

declare(strict_types=1);

namespace RedisLock\Testing;

use PHPUnit\Framework\Attributes\Before;
use RedisLock;

/**
 * For a test case: empties the memory:// servers before each of its tests, and before setUp(). Also
 * for PHPUnit 9.6, which has no extensions of this kind.
 */
trait EmptiesMemory
{
    /** @before */
    #[Before]
    protected function emptyMemoryServers(): void
    {
        RedisLock::flushMemory();
    }
}
