<?php
/*
 * A worker with one library. It answers
 *
 *     run KEY START UNTIL MOST LENGTH
 *
 * by sections of LENGTH ns under the lock KEY, one after the other without a pause, from START
 * until UNTIL (both hrtime) and MOST of them at most. A section sleeps: so many processes must not
 * fight for the cores. The answer is how often it gave up waiting, and for each section when the
 * lock was asked for, had, and about to be freed.
 *
 * usage: php section_worker.php PEER PORT[,PORT...] PACKAGES CONTROL COUNT
 *
 * A peer over TLS gets the file of the CA in place of PACKAGES.
 */
require __DIR__ . '/lib/serve.php';
require __DIR__ . '/lib/Peer.php';
require __DIR__ . '/lib/RedisLockPeer.php';
require __DIR__ . '/lib/ByHandPeer.php';

[, $name, $port, $packages, $control, $count] = $argv;
$makePeer = require __DIR__ . "/peers/$name.php";

$ports = array_map('intval', explode(',', $port));

serve($control, (int) $count, function () use ($makePeer, $ports, $packages): callable {
    $peer = $makePeer(count($ports) > 1 ? $ports : $ports[0], $packages);
    return function (array $words) use ($peer): array {
        [, $key, $start, $until, $most, $length] = $words;
        sleep_ns((int) $start - hrtime(true));
        return run_sections($peer, $key, (int) $until, (int) $most, (int) $length);
    };
});

function run_sections(Peer $peer, string $key, int $until, int $most, int $length): array
{
    $gaveUp = 0;
    $times = [];
    $section = function () use (&$times, $length): void {
        $times[] = hrtime(true);
        sleep_ns($length);
        $times[] = hrtime(true);
    };
    for ($i = 0; $i < $most && ($asked = hrtime(true)) < $until; $i++) {
        $times[] = $asked;
        if (!$peer->within($key, $section)) {
            array_pop($times);
            $gaveUp++;
        }
    }
    return [$gaveUp, ...$times];
}
