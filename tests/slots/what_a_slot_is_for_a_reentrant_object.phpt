--TEST--
A reentrant object enters its slot again; memory:// has slots, too.
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
foreach ([$server->dsn(), 'memory://slots'] as $dsn) {
    $lock = new RedisLock($dsn, reentrant: true);
    $other = new RedisLock($dsn);
    $first = $other->lease('k', slots: 2);
    $outer = $lock->lease('k', slots: 2);
    $inner = $lock->lease('k', slots: 2);
    same("$dsn: slots", [1, 2, 2], [$first->slot(), $outer->slot(), $inner->slot()]);
    same("$dsn: one token", $outer->token(), $inner->token());
    same("$dsn: full", null, $other->lease('k', slots: 2));
    unset($outer);
    check("$dsn: held by the inner one", $inner->verify());
    unset($inner);
    $again = $other->lease('k', slots: 2);
    same("$dsn: free again", 2, $again->slot());
    unset($first, $again);
    same("$dsn: free", [false, false], [$other->isLocked('k'), $other->isLocked('k#2')]);
}

done();
?>
--EXPECT--
ok
