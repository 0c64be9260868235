--TEST--
Refusals, waits, failures and reconnects leak no memory.
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
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), retryDelay: 0.001, retryMaxDelay: 0.001);
$refused = new RedisLock('redis://127.0.0.1:' . refusing_port($holder));
$nonsense = fake_server([rule('*', [send("nonsense\r\n")])], unix: true);
$bad = new RedisLock($nonsense->dsn());
$wrong = new RedisLock($server->dsn('?db=99'));
$server->cmd('SET', 'k', 'somebody');
$round = function () use ($server, $lock, $refused, $bad, $wrong): void {
    $ignored = $lock->acquire('k');
    $ignored = $lock->acquire('k', wait: 0.002);
    $ignored = $lock->acquire('k', wait: 0.002, token: 'mine');
    $lock->release('k', 'x');
    foreach ([$refused, $bad, $wrong] as $broken) {
        try {
            $ignored = $broken->acquire('free');
        } catch (RedisLockException) {
        }
    }
    try {
        $ignored = $lock->acquire('', NAN);
    } catch (ValueError) {
    }
    $lock->close();
    new RedisLock($server->dsn('?timeout=1', 'a:b'), 'prefix');
};
$rss = function (): int {
    preg_match('~^VmRSS:\s+(\d+) kB~m', file_get_contents('/proc/self/status'), $m);
    return (int) $m[1];
};
$rss();
for ($i = 0; $i < 300; $i++) {
    $round();
}
$before = $rss();
$memory = memory_get_usage();
for ($i = 0; $i < 600; $i++) {
    $round();
}
check('growth in KB', $rss() - $before <= 64, $rss() - $before);
check("growth of PHP's memory", memory_get_usage() - $memory < 1000, memory_get_usage() - $memory);

done();
?>
--EXPECT--
ok
