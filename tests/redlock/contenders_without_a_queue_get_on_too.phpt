--TEST--
Processes that poll (wake: false), and so split the vote, all get the lock in the end.
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
$waiters = [];
for ($i = 0; $i < 5; $i++) {
    $waiters[] = waiter($members->dsns(), 'k', ['ttl' => 30, 'wait' => slack(20.0)],
            ['wake' => false], function (RedisLock $lock, string $token): array {
        $from = now();
        usleep(10_000);
        return [$from, now(), $lock->release('k', $token)];
    });
}
$sections = [];
foreach ($waiters as $i => $waiter) {
    $result = $waiter->result(60.0);
    matches("waiter $i", TOKEN, (string) ($result['token'] ?? $result['error']));
    $sections[] = $result['then'] ?? [0, 0];
}
sort($sections);
for ($i = 1; $i < 5; $i++) {
    check("section $i begins after the last one", $sections[$i][0] >= $sections[$i - 1][1],
        $sections);
}
$members->empty('at the end');

done();
?>
--EXPECT--
ok
