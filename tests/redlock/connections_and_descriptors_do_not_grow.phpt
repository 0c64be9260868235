--TEST--
Many locks, with members that die and hang in between, leak no descriptor and no memory.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock(timeout: slack(0.1));
$round = function () use ($members, $lock): void {
    for ($i = 0; $i < 50; $i++) {
        $token = $lock->acquire('k', 30, slack(2.0));
        $lock->release('k', (string) $token);
    }
    $members->pause(0);
    for ($i = 0; $i < 10; $i++) {
        $token = $lock->acquire('k', 30, slack(2.0));
        $lock->release('k', (string) $token);
    }
    $members->resume(0);
    $members->servers[1]->kill();
    for ($i = 0; $i < 10; $i++) {
        $token = $lock->acquire('k', 30, slack(2.0));
        $lock->release('k', (string) $token);
    }
    $members->servers[1]->start();
    usleep(200_000);
};
$descriptors = fn () => count(scandir('/proc/self/fd'));
$round();
$round();
$before = [$descriptors(), memory_get_usage()];
for ($i = 0; $i < 4; $i++) {
    $round();
}
$lock->release('k', 'x');
$after = [$descriptors(), memory_get_usage()];
check('descriptors', $after[0] <= $before[0] + 3, [$before, $after]);
check('memory', $after[1] - $before[1] < 100_000, [$before, $after]);
$lock->close();

done();
?>
--EXPECT--
ok
