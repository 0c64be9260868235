<?php
/*
 * For bench/promises.php: a process with a RedisLock object. It answers with hrtime before and
 * after the call, and what came of it:
 *
 *     acquire KEY TTL WAIT     the token, or "-"
 *     release KEY TOKEN        1 or 0
 *
 * usage: php promise_worker.php PORT CONTROL COUNT
 */
require __DIR__ . '/lib/serve.php';

[, $port, $control, $count] = $argv;

serve($control, (int) $count, function () use ($port): callable {
    $lock = new RedisLock("redis://127.0.0.1:$port");
    return function (array $words) use ($lock): array {
        $before = hrtime(true);
        $result = match ($words[0]) {
            'acquire' => $lock->acquire($words[1], (float) $words[2], (float) $words[3]) ?? '-',
            'release' => (int) $lock->release($words[1], $words[2]),
        };
        return [$before, hrtime(true), $result];
    };
});
