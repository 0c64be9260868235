<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use RuntimeException;

/** The servers that scripts/packages has started. */
trait Servers
{
    /** @return list<string> */
    protected static function dsns(): array
    {
        $dsns = getenv('REDISLOCK_TEST_DSNS') ?: throw new RuntimeException(
            'REDISLOCK_TEST_DSNS should have the DSNs of three servers');
        return explode(' ', $dsns);
    }

    protected static function dsn(): string
    {
        return self::dsns()[0];
    }
}
