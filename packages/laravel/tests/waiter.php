<?php

/* Waits for the lock NAME, and prints the time at which it has it.

   usage: php waiter.php NAME */

declare(strict_types=1);

use Illuminate\Support\Facades\Cache;
use RedisLock\Laravel\Tests\TestCase;

require __DIR__ . '/bootstrap.php';

TestCase::application();
$lock = Cache::lock($argv[1], 10);
echo "waiting\n";
$lock->block(10);
echo microtime(true), "\n";
exit($lock->release() ? 0 : 1);
