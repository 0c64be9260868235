<?php
/*
 * For bench/fibers.php: COUNT Fibers of Revolt's loop take one lock of amphp/redis in empty
 * sections, again and again for SECONDS. Prints how many sections there were after the first half
 * a second.
 *
 * usage: php fibers_amphp_worker.php PACKAGES PORT COUNT SECONDS
 */
use Amp\Redis\Sync\RedisMutex;
use Amp\Redis\Sync\RedisMutexException;
use function Amp\async;
use function Amp\Future\await;
use function Amp\Redis\createRedisClient;

[, $packages, $port, $count, $seconds] = $argv;
require "$packages/vendor/autoload.php";
$mutex = new RedisMutex(createRedisClient("redis://127.0.0.1:$port"));
$counted = hrtime(true) + 0.5e9;
$end = hrtime(true) + 1e9 * (float) $seconds;
$sections = 0;
$work = function () use ($mutex, $counted, $end, &$sections): void {
    while (hrtime(true) < $end) {
        try {
            $mutex->acquire('bench:fibers')->release();
        } catch (RedisMutexException) {
            continue; // it has waited for ten seconds
        }
        $now = hrtime(true);
        $sections += (int) ($now >= $counted && $now < $end);
    }
};
await(array_map(fn () => async($work), range(1, (int) $count)));
echo "$sections\n";
