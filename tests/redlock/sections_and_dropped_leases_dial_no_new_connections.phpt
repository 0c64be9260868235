--TEST--
The ends of sections, and leases freed with their objects, leave connections that the next call uses.
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

const CYCLES = 300;

$members = start_members(3);
$lock = $members->lock();
$cycles = [
    'a token' => fn () => $lock->release('k', $lock->acquire('k')),
    'a lease' => fn () => $lock->lease('k')->release(),
    'synchronized()' => fn () => $lock->synchronized('k', fn () => true, wait: slack(1.0)),
    'a lease that is freed with its object' =>
        fn () => $lock->lease('k', wait: slack(1.0))->isHeld(),
];
foreach ($cycles as $what => $cycle) {
    $cycle();
    $before = $lock->stats()['connects'];
    for ($i = 0; $i < CYCLES; $i++) {
        same("$what: cycle $i", true, $cycle());
    }
    $dialled = $lock->stats()['connects'] - $before;
    /* A wait takes a second connection for the queue; a busy machine may make a member look
     * silent. */
    check("$what: connections dialled in " . CYCLES . ' cycles', $dialled <= 12, $dialled);
}
$members->empty('at the end');

done();
?>
--EXPECT--
ok
