<?php
/*
 * Holds a lock until its parent waits for it, frees it, and waits for it in turn; so on, until it
 * is killed.
 *
 * usage: php work_partner.php PID-OF-THE-SERVER DSN KEY
 */
require __DIR__ . '/lib/asleep.php';

const TTL = 60.0;

$parent = state_and_parent('self')[1];
$lock = new RedisLock($argv[2], timeout: 30.0);
for ($token = $lock->acquire($argv[3], TTL);; $token = $lock->acquire($argv[3], TTL, TTL)) {
    echo "held\n";
    await_asleep($parent, (int) $argv[1]);
    $lock->release($argv[3], $token);
}
