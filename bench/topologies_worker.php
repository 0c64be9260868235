<?php
/*
 * For bench/topologies.php: a process with one library and one or several places, each of which is
 * a list of ports. It begins with the first place, reads a line for each order, and answers with
 * nanoseconds:
 *
 *     COUNT                so many empty sections under KEY
 *     keys COUNT           so many empty sections, each under a key of its own
 *     next                 goes on to the next place; the answer is the time from the making of the
 *                          object until the lock was there
 *     lookups MS           empty sections for so long; the answer is the number of lookups that
 *                          RedisLock has made at the Sentinels meanwhile, plus 1
 *     rests COUNT MS       so many pauses, each before an acquire; the answer is the median of the
 *                          acquires
 *
 * usage: php topologies_worker.php PEER PACKAGES KEY PORT[,PORT...]...
 */
require __DIR__ . '/lib/Peer.php';
require __DIR__ . '/lib/RedisLockPeer.php';
require __DIR__ . '/lib/ByHandPeer.php';
require __DIR__ . '/lib/figures.php';

[, $name, $packages, $key] = $argv;
$places = array_map(fn (string $ports) => array_map('intval', explode(',', $ports)),
    array_slice($argv, 4));
$makePeer = require __DIR__ . "/peers/topologies/$name.php";

/** From $start until the lock was there. */
function acquire_time(Peer $peer, string $key, int $start): int
{
    $taken = 0;
    $peer->within($key, function () use (&$taken): void {
        $taken = hrtime(true);
    });
    return $taken - $start;
}

function rests(Peer $peer, string $key, int $count, int $ms): int
{
    $times = [];
    for ($i = 0; $i < $count; $i++) {
        usleep($ms * 1000);
        $times[] = acquire_time($peer, $key, hrtime(true));
    }
    return (int) median($times);
}

function lookups(Peer $peer, string $key, int $ms): int
{
    $before = RedisLock::stats()['sentinel_lookups'];
    for ($end = hrtime(true) + $ms * 1_000_000; hrtime(true) < $end;) {
        cycles($peer, fn () => $key, 10);
    }
    return RedisLock::stats()['sentinel_lookups'] - $before + 1;
}

function cycles(Peer $peer, callable $key, int $count): int
{
    $nothing = function (): void {
    };
    $start = hrtime(true);
    for ($i = 0; $i < $count; $i++) {
        $peer->within($key($i), $nothing);
    }
    return hrtime(true) - $start;
}

$peer = $makePeer(array_shift($places), $packages);
while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', trim($line));
    if ($words[0] === 'next') {
        $start = hrtime(true);
        $peer = $makePeer(array_shift($places), $packages);
        echo acquire_time($peer, $key, $start), "\n";
        continue;
    }
    echo match ($words[0]) {
        'rests' => rests($peer, $key, (int) $words[1], (int) $words[2]),
        'lookups' => lookups($peer, $key, (int) $words[1]),
        'keys' => cycles($peer, fn (int $i) => "bench:key:$i", (int) $words[1]),
        default => cycles($peer, fn () => $key, (int) $words[0]),
    }, "\n";
}
