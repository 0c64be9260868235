--TEST--
The end of the work tells all waiters in the server, one after another, also past plain ones.
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
$waiters = [];
$once = '$lock = new RedisLock($argv[1]);
    $said = $lock->once("mail", fn () => 1, for: 60, wait: 60);
    printf("%s %.6F\n", var_export($said, true), microtime(true));';
$plain = '$lock = new RedisLock($argv[1]);
    $lock->synchronized("mail", fn () => 1, wait: 60);
    echo "plain\n";';
$lock->once('mail', function () use ($server, $lock, $once, $plain, &$waiters) {
    for ($i = 0; $i < 12; $i++) {
        $waiters[] = start_php($i % 4 === 3 ? $plain : $once, [$server->dsn()]);
    }
    eventually('all wait', fn () => $lock->inspect('mail')->waiters === 12, 30.0);
    usleep(100_000);
}, for: 60);
$done = microtime(true);
$latest = 0.0;
foreach ($waiters as $i => $waiter) {
    if ($i % 4 === 3) {
        continue;
    }
    [$said, $at] = explode(' ', trim($waiter->output()));
    same("waiter $i", 'false', $said);
    $latest = max($latest, (float) $at - $done);
}
/* Without the chain a waiter would look each 0.85 s. */
check('all were told soon', $latest < slack(0.6), $latest);
same('forceRelease()', true, $lock->forceRelease('mail'));
foreach ([3, 7, 11] as $i) {
    same("plain waiter $i", "plain\n", $waiters[$i]->output());
}
eventually('keys', fn () => $server->keys() === [], 5.0);

done();
?>
--EXPECT--
ok
