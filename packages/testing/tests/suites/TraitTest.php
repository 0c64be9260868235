<?php

declare(strict_types=1);

namespace RedisLock\Testing\Tests\Suites;

use RedisLock\Testing\EmptiesMemory;

require_once __DIR__ . '/LocksTest.php';

final class TraitTest extends LocksTest
{
    use EmptiesMemory;
}
