--TEST--
A member that was dead or hung is used again within a few seconds of its return.
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

$members = start_members(5);
$lock = $members->lock(timeout: room(0.3));
foreach (['kill' => 'start', 'pause' => 'resume'] as $fault => $cure) {
    $members->$fault(0, 3);
    for ($i = 0; $i < 20; $i++) {
        $token = $lock->acquire('k', 30, slack(2.0));
        matches("$fault: acquire()", TOKEN, (string) $token);
        same("$fault: release()", true, $lock->release('k', (string) $token));
        usleep(20_000);
    }
    $members->$cure(0, 3);
    $isUsed = eventually("$fault: all hold a new lock", function () use ($lock, $members): bool {
        $token = $lock->acquire('again', 30, slack(1.0));
        usleep(20_000);
        $isUsed = $members->holding('again', (string) $token) === 5;
        $lock->release('again', (string) $token);
        usleep(100_000);
        return $isUsed;
    }, 8.0);
    $members->empty("$fault: at the end");
}

done();
?>
--EXPECT--
ok
