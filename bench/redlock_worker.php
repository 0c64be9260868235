<?php
/*
 * For bench/redlock.php: a process with one library and several servers, as
 * bench/redlock_hiredis.c.
 *
 * "warm" reads "ROUNDS\n", does as many empty sections, and answers with one word for each: the
 * nanoseconds until the lock was there and until it was freed, as "A,B", or until an exception came
 * and its class, as "A!Class". "cold" has one section, answers with the nanoseconds from the making
 * of the object until the lock was there, and ends.
 *
 * usage: php redlock_worker.php PEER PACKAGES warm|cold PORT...
 *
 * A peer over TLS gets the file of the CA in place of PACKAGES.
 */
require __DIR__ . '/lib/Peer.php';
require __DIR__ . '/lib/RedisLockPeer.php';

[, $name, $packages, $mode] = $argv;
$ports = array_map('intval', array_slice($argv, 4));
$makePeer = require __DIR__ . "/peers/redlock/$name.php";

$taken = 0;
$section = function () use (&$taken): void {
    $taken = hrtime(true);
};
$start = hrtime(true);
$peer = $makePeer($ports, $packages);
if ($mode === 'cold') {
    $peer->within('bench:cycle', $section);
    echo $taken - $start, "\n";
    exit(0);
}
for ($number = 0; ($line = fgets(STDIN)) !== false;) {
    $words = [];
    for ($rounds = (int) $line; $rounds > 0; $rounds--) {
        // after a failure the last one may still be locked
        $key = 'bench:' . getmypid() . ':' . $number++;
        $start = hrtime(true);
        try {
            $peer->within($key, $section);
            $words[] = sprintf('%d,%d', $taken - $start, hrtime(true) - $start);
        } catch (Exception $e) {
            $words[] = sprintf('%d!%s', hrtime(true) - $start, $e::class);
        }
    }
    echo implode(' ', $words), "\n";
}
