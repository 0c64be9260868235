--TEST--
A child can have renewed leases of its own at once, with a thread of its own, and so can its children.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$ttl = room(1.2);
$lease = $lock->lease('k', $ttl);
renewals_go_on('the parent');
$keep = function (string $who) use ($lock, $server, $ttl): RedisLockLease {
    same("$who: threads at first", 1, threads());
    $own = $lock->lease($who, $ttl, onLoss: stop(...));
    same("$who: threads with a lease", 2, threads());
    stays_held($who, $server, $own, 1.3 * $ttl);
    check("$who: it was renewed", renewed() > 0);
    return $own;
};
$children = [];
for ($n = 0; $n < 3; $n++) {
    $children[] = in_fork(function () use ($keep, $lock, $server, $n): void {
        $own = $keep("child$n");
        reap(in_fork(function () use ($keep, $lock, $server, $own, $n): void {
            same('of the child', false, $own->isHeld());
            $keep("grandchild$n");
            reap(in_fork(fn () => $keep("great-grandchild$n")));
        }));
        stays_held("child$n, afterwards", $server, $own, 0.1);
        $server->cmd('DEL', "child$n");
        stopped("child$n", fn () => compute(5.0), 0.2, "child$n");
        $left = $lock->lease("left$n", room(0.6)); // freed by the end of the object
        unset($left);
        $left = $lock->lease("kept$n", room(0.6)); // freed by the end of the process
    });
}
foreach ($children as $child) {
    reap($child);
}
stays_held('the parent', $server, $lease, 0.3);
same('threads of the parent', 2, threads());
same('keys', ['0:k'], $server->keys());
same('lost', 0, lost());

/* A child whose parent has no thread any more, and a child that takes over its parent's lock. */
$token = $lease->detach();
reap(in_fork(function () use ($lock, $server, $token, $ttl): void {
    $mine = $lock->resume('k', $token, $ttl);
    stays_held('taken over', $server, $mine, 1.3 * $ttl);
    same('release()', true, $mine->release());
}));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
