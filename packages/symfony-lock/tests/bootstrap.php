<?php

declare(strict_types=1);

use RedisLock\Symfony\Tests\StoreCases;
use Symfony\Component\Lock\Test\AbstractStoreTestCase;

require __DIR__ . '/../vendor/autoload.php';

/* symfony/lock 6.4 does not ship its cases. */
if (!class_exists(AbstractStoreTestCase::class)) {
    class_alias(StoreCases::class, AbstractStoreTestCase::class);
}
