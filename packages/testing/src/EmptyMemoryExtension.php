<?php

declare(strict_types=1);

namespace RedisLock\Testing;

use PHPUnit\Event\Test\PreparationStarted;
use PHPUnit\Event\Test\PreparationStartedSubscriber;
use PHPUnit\Runner\Extension\Extension;
use PHPUnit\Runner\Extension\Facade;
use PHPUnit\Runner\Extension\ParameterCollection;
use PHPUnit\TextUI\Configuration\Configuration;
use RedisLock;
use RuntimeException;

/**
 * An extension of PHPUnit 10.5 and later that empties the memory:// servers before each test, and
 * before its setUp().
 */
final class EmptyMemoryExtension implements Extension
{
    public function bootstrap(
        Configuration $configuration,
        Facade $facade,
        ParameterCollection $parameters,
    ): void {
        /* The exception of a subscriber is a warning of PHPUnit, once for each test. */
        if (!method_exists(RedisLock::class, 'flushMemory')) {
            throw new RuntimeException('the PHP extension redislock is not loaded, or is too old: '
                . 'it has no RedisLock::flushMemory()');
        }
        $facade->registerSubscriber(new class implements PreparationStartedSubscriber {
            public function notify(PreparationStarted $event): void
            {
                RedisLock::flushMemory();
            }
        });
    }
}
