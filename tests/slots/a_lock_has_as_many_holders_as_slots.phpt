--TEST--
A lock of three slots has three holders, each under a key of its own.
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
$lock = new RedisLock($server->dsn());
/* On a cluster all are in one hash slot. */
$stem = getenv('REDISLOCK_TEST_CLUSTER') ? '{export}' : 'export';
$leases = [];
foreach (['export', "$stem#2", "$stem#3"] as $i => $key) {
    $leases[$i] = $lock->lease('export', slots: 3);
    same("slot of $key", $i + 1, $leases[$i]?->slot());
    same("$key: key()", 'export', $leases[$i]->key());
    same("$key: keys()", ['export'], $leases[$i]->keys());
    check("$key: isHeld()", $leases[$i]->isHeld());
    check("$key: verify()", $leases[$i]->verify());
    same("$key: extend()", true, $leases[$i]->extend(40));
}
$names = array_map(fn (string $key) => substr($key, 2), $server->locks());
sort($names);
same('keys', ['export', "$stem#2", "$stem#3"], $names);
foreach ($names as $i => $key) {
    same("the token of $key", $leases[$i]->token(), $server->cmd('GET', $key));
}
same('the fourth', null, $lock->lease('export', slots: 3));
same('the fourth, with a wait', null, $lock->lease('export', wait: 0.05, slots: 3));
throws('the fourth, synchronized()', 'RedisLockTimeoutException',
    '~^could not acquire the lock "export" \(one of its 3 slots\) within 0\.05 s: it is held by \S+ for~',
    fn () => $lock->synchronized('export', fn () => 1, wait: 0.05, slots: 3));
same('isLocked()', true, $lock->isLocked('export'));
same('a lock without slots', null, $lock->lease('export'));

/* A slot that becomes free is taken by the next, whichever it is. */
same('release()', true, $leases[1]->release());
same('keys after it', 2, count($server->locks()));
$next = $lock->lease('export', slots: 3);
same('the next', 2, $next->slot());
unset($leases[0]);
same('the first one again', 1,
    $lock->synchronized('export', fn ($lease) => $lease->slot(), slots: 3));
unset($next, $leases);
same('all are free', [], $server->keys());

/* Another client has a slot, of any type. */
$server->cmd('SET', 'export', 'somebody', 'PX', 60000);
$server->cmd('ZADD', "$stem#2", 1, 'symfony');
$server->cmd('RPUSH', "$stem#3", 'x');
same('others have them', null, $lock->lease('export', slots: 3));
$fourth = $lock->lease('export', slots: 4);
same('more slots', 4, $fourth->slot());
same('forceRelease() of a slot', true, $lock->forceRelease("$stem#4"));
same('verify() of the lost slot', false, $fourth->verify());

done();
?>
--EXPECT--
ok
