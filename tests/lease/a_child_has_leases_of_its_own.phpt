--TEST--
A forked child takes leases with the inherited object, and its end frees them; the parent's leases stay.
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
$lease = $lock->lease('parent', 60);
$own = new RedisLock($server->dsn(), persistent: false);
$mine = $own->lease('mine', 60);
reap(in_fork(function () use ($lock, $own, $server): void {
    $first = $lock->lease('child', 60);
    $second = $own->lease('second', 60);
    is_whole('first', $server, $first);
    is_whole('second', $server, $second);
    same('section', 5, $lock->synchronized('section', fn () => 5));
    same('release()', true, $second->release());
    reap(in_fork(function () use ($lock, $first): void {
        same('of a grandchild', false, $first->isHeld());
        $third = $lock->lease('grandchild', 60);
        same('its own', true, $third->isHeld());
    }));
    is_whole('first', $server, $first);
    $GLOBALS['kept'] = $first;
}));
same('keys', ['0:mine', '0:parent'], $server->keys());
is_whole('of the parent', $server, $lease);
is_whole('of the parent', $server, $mine);
same('release()', [true, true], [$lease->release(), $mine->release()]);

done();
?>
--EXPECT--
ok
