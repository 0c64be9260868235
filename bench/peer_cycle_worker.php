<?php
/*
 * For bench/cycle.php: reads "ROUNDS\n", does as many empty sections of a library, answers with the
 * nanoseconds.
 *
 * usage: php peer_cycle_worker.php PEER PORT PACKAGES
 *        php peer_cycle_worker.php tls/PEER PORT CA_FILE PACKAGES
 */
require __DIR__ . '/lib/Peer.php';
require __DIR__ . '/lib/RedisLockPeer.php';

$makePeer = require __DIR__ . "/peers/$argv[1].php";
$peer = $makePeer((int) $argv[2], ...array_slice($argv, 3));
$nothing = function (): void {
};
while (($line = fgets(STDIN)) !== false) {
    $rounds = (int) $line;
    $start = hrtime(true);
    for ($i = 0; $i < $rounds; $i++) {
        $peer->within('bench:cycle', $nothing);
    }
    echo hrtime(true) - $start, "\n";
}
