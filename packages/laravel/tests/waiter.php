<?php

/* Waits for the lock NAME, or for the only slot of its funnel, and prints the time at which it has
   it.

   usage: php waiter.php NAME [funnel] */

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Support\Facades\Cache;
use RedisLock\Laravel\RedisLockRepository;

require __DIR__ . '/bootstrap.php';

TestCase::application();
echo "waiting\n";
$repository = Cache::store();
if (count($argv) > 2 && $repository instanceof RedisLockRepository) {
    $repository->funnel($argv[1])->limit(1)->block(10)->then(function (): void {
        echo microtime(true), "\n";
    });
    exit(0);
}
$lock = Cache::lock($argv[1], 10);
$lock->block(10);
echo microtime(true), "\n";
exit($lock->release() ? 0 : 1);
