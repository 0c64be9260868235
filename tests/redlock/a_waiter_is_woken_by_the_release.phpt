--TEST--
A wait for a lock of several servers ends at its release, long before any look.
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
require_once __DIR__ . '/../inc/waiter.inc';

foreach ([2, 3, 5] as $n) {
    $members = start_members($n);
    $lock = $members->lock();
    foreach ([0, 1, 2] as $round) {
        $token = $lock->acquire('k', 60);
        $members->hold("N = $n", 'k', $token);
        $waiter = waiter($members->dsns(), 'k', ['wait' => slack(8.0)]);
        usleep((int) (1e6 * room(0.3)));
        $watch = new Stopwatch();
        $at = now();
        same("N = $n: release()", true, $lock->release('k', $token));
        $result = $waiter->result();
        matches("N = $n: the waiter has it", TOKEN, (string) $result['token']);
        $watch->within("N = $n: soon", slack(0.25), -0.01, $result['at'] - $at);
        $members->hold("N = $n: the waiter", 'k', $result['token']);
        same("N = $n: released", true, $lock->release('k', $result['token']));
        $members->empty("N = $n: at the end");
    }
}

done();
?>
--EXPECT--
ok
