--TEST--
A section that throws, exits or dies leaves no mark: the next call runs the work again.
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
throws('an exception', 'DomainException', '~^no mail today$~',
    fn () => $lock->once('mail', fn () => throw new DomainException('no mail today'), for: 60));
same('an exception: keys', [], $server->keys());

$ends = ['exit' => 'exit(3);', 'a fatal error' => 'undefined_function();',
    'a fatal error of memory' => 'ini_set("memory_limit", "8M"); str_repeat("x", 1 << 30);',
    'SIGTERM' => 'posix_kill(getmypid(), SIGTERM); sleep(60);'];
foreach (ends_that_free($ends) as $what => $end) {
    if ($what === 'SIGTERM' && !function_exists('posix_kill')) {
        $end = 'exec("kill -TERM " . getmypid()); sleep(60);';
    }
    run_php('$lock = new RedisLock($argv[1]);
        $lock->once("mail", function () { ' . $end . ' }, for: 60);', [$server->dsn()]);
    same("$what: keys", [], $server->locks());
}

/* A killed process: the key is free when the TTL is over. */
$worker = start_php('$lock = new RedisLock($argv[1]);
    $lock->once("mail", function () { echo "runs\n"; sleep(60); }, for: 60, ttl: 0.5);',
    [$server->dsn()]);
$worker->expect('~runs~');
$worker->signal(SIGKILL);
$began = microtime(true);
same('SIGKILL: a call that waits', true, $lock->once('mail', fn () => 1, for: 60, wait: 30));
between('SIGKILL: its wait', 0.0, slack(2.0), microtime(true) - $began);
same('the mark', 'rl1.done', $server->cmd('GET', 'mail'));

done();
?>
--EXPECT--
ok
