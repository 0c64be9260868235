<?php

declare(strict_types=1);

namespace RedisLock\Testing\Tests\Suites;

require_once __DIR__ . '/LocksTest.php';

final class PlainTest extends LocksTest
{
}
