<?php

/* Acquires the lock RESOURCE, and releases it after as many seconds as a line of the input says.

   usage: php hold.php DSN RESOURCE */

declare(strict_types=1);

use RedisLock\Symfony\RedisLockStoreFactory;
use Symfony\Component\Lock\Key;

require __DIR__ . '/bootstrap.php';

$key = new Key($argv[2]);
$store = RedisLockStoreFactory::createStore($argv[1]);
$store->save($key);
echo "held\n";
usleep(max(0, (int) (1e6 * (float) fgets(STDIN))));
$held = $store->exists($key);
$store->delete($key);
exit($held ? 0 : 1);
