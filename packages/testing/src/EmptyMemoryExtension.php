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
        /* Here it is one warning of PHPUnit, and later one for each test. */
        if (!extension_loaded('redislock')) {
            throw new RuntimeException('the PHP extension redislock is not loaded');
        }
        $facade->registerSubscriber(new class implements PreparationStartedSubscriber {
            public function notify(PreparationStarted $event): void
            {
                RedisLock::flushMemory();
            }
        });
    }
}
