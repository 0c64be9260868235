--TEST--
A re-entrant lease that finds little time left sets the TTL of the lock again, not its own shorter TTL.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), reentrant: true);
$outer = $lock->lease('k', 4, renew: false);
$enough = without_traffic('enough is left', $server, fn () => $lock->lease('k', 3, renew: false));
usleep(2_600_000);
$inner = $lock->lease('k', 3, renew: false);
between('PTTL', 3001, 4000, $server->cmd('PTTL', 'k'));
between('remaining() of the outer one', 3.0, 4.0, $outer->remaining());
same('the same lock', $outer->token(), $inner->token());
unset($inner, $enough);
same('held by the outer one', true, $outer->isHeld());
same('release()', true, $outer->release());
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
