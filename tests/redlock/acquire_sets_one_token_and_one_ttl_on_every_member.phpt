--TEST--
A lock of N servers is the same token with the same TTL on each of them; release deletes it everywhere.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

for ($n = 1; $n <= 5; $n++) {
    $members = start_members($n);
    $lock = $members->lock();
    $token = $lock->acquire('k', 30);
    matches("N = $n: token", TOKEN, (string) $token);
    $members->hold("N = $n", 'k', (string) $token);
    foreach ($members->servers as $i => $server) {
        between("N = $n: PTTL at $i", 20000, 30000, $server->cmd('PTTL', 'k'));
    }
    same("N = $n: isLocked()", true, $lock->isLocked('k'));
    same("N = $n: owner()", $token, $lock->owner('k'));
    between("N = $n: remaining()", 20, 30, $lock->remaining('k'));
    same("N = $n: a second acquire()", null, $lock->acquire('k', 30));
    $members->hold("N = $n: after the second", 'k', $token);
    same("N = $n: release()", true, $lock->release('k', $token));
    $members->empty("N = $n: released");
    same("N = $n: a second release()", false, $lock->release('k', $token));
    same("N = $n: isLocked()", false, $lock->isLocked('k'));
    same("N = $n: owner()", null, $lock->owner('k'));
    same("N = $n: remaining()", null, $lock->remaining('k'));
}

done();
?>
--EXPECT--
ok
