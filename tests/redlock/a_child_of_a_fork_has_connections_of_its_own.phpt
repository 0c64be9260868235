--TEST--
After a fork parent and child can use the object at once, and the parent keeps its lease.
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

$members = start_members(3);
$lock = $members->lock();
$lease = $lock->lease('parent', room(2.0));
$members->hold('parent', 'parent', $lease->token());
$forks = [];
for ($i = 0; $i < 3; $i++) {
    $forks[] = in_fork(function () use ($lock, $lease, $i): void {
        same('held in the child', false, $lease->isHeld());
        same('release() in the child', false, $lease->release());
        for ($n = 0; $n < 20; $n++) {
            $token = $lock->acquire("child$i");
            matches('token', TOKEN, (string) $token);
            same('release()', true, $lock->release("child$i", $token));
        }
        $own = $lock->lease("own$i", 30);
        same('a lease of its own', true, $own->isHeld());
    });
}
for ($n = 0; $n < 50; $n++) {
    $token = $lock->acquire('k');
    same('the parent goes on', true, $lock->release('k', $token));
}
array_map(reap(...), $forks);
renewals_go_on('the parent', 2);
same('isHeld()', true, $lease->isHeld());
same('verify()', true, $lease->verify());
same('release()', true, $lease->release());
$members->empty('at the end');

done();
?>
--EXPECT--
ok
