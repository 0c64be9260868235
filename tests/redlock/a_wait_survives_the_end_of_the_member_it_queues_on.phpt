--TEST--
If the member with the queue dies or hangs during the wait, the wait continues on the others.
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

/* By the waiter itself, because commands of different connections to a member that hangs have no
 * order. */
$release = fn (RedisLock $lock, string $token): bool => $lock->release('k', $token);
foreach (['kill', 'pause'] as $how) {
    for ($i = 0; $i < 3; $i++) {
        $what = "$how $i";
        $members = start_members(3);
        $lock = $members->lock(timeout: room(0.5));
        $token = $lock->acquire('k', 60);
        $members->hold($what, 'k', $token);
        $waiter = waiter($members->dsns(), 'k', ['wait' => slack(10.0)], ['timeout' => room(0.5)],
            $release);
        usleep((int) (1e6 * room(0.3)));
        $members->$how($i);
        usleep((int) (1e6 * room(0.2)));
        $rest = array_values(array_diff([0, 1, 2], [$i]));
        $watch = new Stopwatch();
        $at = now();
        same("$what: release()", true, $lock->release('k', $token));
        $result = $waiter->result();
        matches("$what: the waiter has it", TOKEN, (string) ($result['token'] ?? $result['error']));
        $watch->within("$what: soon", slack(3.0), -0.01, $result['at'] - $at);
        same("$what: released", true, $result['then']);
        $members->empty($what, $rest);
    }
}

done();
?>
--EXPECT--
ok
