--TEST--
If a quorum cannot be asked any more, a lease is lost when its proof is over, and the rest of it is released.
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
require_once __DIR__ . '/../inc/renew.inc';

$ttl = room(1.0);
foreach (['dead' => 'kill', 'hung' => 'pause'] as $how => $call) {
    $members = start_members(3);
    $lock = $members->lock(timeout: 0.3 * $ttl);
    $lease = $lock->lease('k', $ttl);
    $members->hold($how, 'k', $lease->token());
    renewals_go_on($how);
    $members->$call(0, 2);
    $took = until_lost($how, $lease);
    between("$how: within its TTL", 0.2, $ttl + slack(0.2), $took);
    same("$how: remaining()", 0.0, $lease->remaining());
    throws("$how: assertHeld()", 'RedisLockLostException', '~lost~', fn () => $lease->assertHeld());
    $members->empty("$how: what is left", [1]);
    if ($call === 'pause') {
        $members->resume(0, 2);
        $members->empty("$how: all", null, 3.0);
    }
    unset($lease);
}
same('lost', 2, lost());

done();
?>
--EXPECT--
ok
