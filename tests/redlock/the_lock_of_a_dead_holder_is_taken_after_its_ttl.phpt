--TEST--
A holder that was killed keeps the lock for its TTL, and then a waiter gets it.
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
require_once __DIR__ . '/../inc/lease.inc';

$members = start_members(3);
$ttl = room(1.5);
$child =
    start_and_stop_at(
        '$lock = new RedisLock(array_slice($argv, 1)); $ignored = $lock->acquire("k", '
            . $ttl . ');',
        '',
        $members->dsns());
$start = now();
$child->signal(9);
$lock = $members->lock();
same('taken', null, $lock->acquire('k'));
$token = $lock->acquire('k', 30, slack(5.0));
matches('after the TTL', TOKEN, (string) $token);
between('in time', 0.8, $ttl + slack(1.0), now() - $start);
same('release()', true, $lock->release('k', $token));
$members->empty('at the end');

done();
?>
--EXPECT--
ok
