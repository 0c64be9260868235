--TEST--
Many processes that wait for one lock of several servers all get it, one at a time, in little more time than the sections take.
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

$members = start_members(3);
$lock = $members->lock();
$count = 6;
$token = $lock->acquire('k', 60);
$members->hold('at first', 'k', $token);
$waiters = [];
for ($i = 0; $i < $count; $i++) {
    $waiters[] = waiter($members->dsns(), 'k', ['ttl' => 30, 'wait' => slack(20.0)],
            then: function (RedisLock $lock, string $token): array {
        $from = now();
        usleep(50_000);
        $until = now();
        return [$from, $until, $lock->release('k', $token)];
    });
    usleep(20_000);
}
usleep(300_000);
$start = now();
same('release()', true, $lock->release('k', $token));
$sections = [];
foreach ($waiters as $i => $waiter) {
    $result = $waiter->result(60.0);
    matches("waiter $i", TOKEN, (string) ($result['token'] ?? $result['error']));
    same("waiter $i: release()", true, $result['then'][2] ?? null);
    $sections[] = $result['then'] ?? [0, 0];
}
sort($sections);
for ($i = 1; $i < $count; $i++) {
    check("section $i begins after the last one", $sections[$i][0] >= $sections[$i - 1][1],
        $sections);
}
between('all of it', 0.3, slack(5.0), $sections[$count - 1][1] - $start);
$members->empty('at the end');

done();
?>
--EXPECT--
ok
