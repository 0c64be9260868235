<?php
/*
 * For bench/fibers.php: COUNT Fibers, or this process alone if COUNT is 0, take one lock in empty
 * sections, again and again for SECONDS. Prints how many sections there were after the first half a
 * second.
 *
 * usage: php fibers_worker.php SOCKET COUNT SECONDS
 */
[, $socket, $count, $seconds] = $argv;
$lock = new RedisLock("unix://$socket");
$counted = hrtime(true) + 0.5e9;
$end = hrtime(true) + 1e9 * (float) $seconds;
$sections = 0;
$work = function () use ($lock, $counted, $end, &$sections): void {
    while (hrtime(true) < $end) {
        $lock->synchronized('bench:fibers', static fn () => null, 10, 10);
        $now = hrtime(true);
        $sections += (int) ($now >= $counted && $now < $end);
    }
};
if ((int) $count === 0) {
    $work();
} else {
    run_fibers((int) $count, $work);
}
echo "$sections\n";

/** The least that an event loop does: it waits for all streams at once. */
function run_fibers(int $count, Closure $work): void
{
    RedisLock::waitWith(static fn ($stream) => Fiber::suspend($stream));
    $fibers = $streams = [];
    for ($i = 0; $i < $count; $i++) {
        $fibers[$i] = new Fiber($work);
        $streams[$i] = $fibers[$i]->start();
    }
    $none = null;
    while (($streams = array_filter($streams)) !== []) {
        $ready = $streams;
        stream_select($ready, $none, $none, 1);
        foreach (array_keys($ready) as $i) {
            $streams[$i] = $fibers[$i]->resume();
        }
    }
}
