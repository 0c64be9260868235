--TEST--
Every server that cannot be reached, or fails in its handshake, causes its exception in time, and leaves no key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$C = 'RedisLockConnectionException';
$S = 'RedisLockServerException';
$garbled =
    '~protocol|unexpected|not a reply|nonsense|invalid|understand|too (long|large|big)|reply|answer~i';
$closed = '~clos|reset|broken|lost|gone|hung up|end of~i';
$late = '~timed? ?out|in time|no (answer|reply)|answer|repl~i';

$server = start_server();
$rows = 0;
$run = function (string $what, string $class, string $message, string $dsn, float $seconds,
        ?callable $warm = null) use ($server, &$rows): void {
    $lock = new RedisLock($dsn, timeout: room(0.25), connectTimeout: room(0.25), persistent: false);
    if ($warm) {
        same("$what: warm", false, $lock->isLocked('k'));
        $warm();
    }
    $thrown = throws($what, $class, $message, fn () => $lock->acquire('k', 60), $seconds);
    if ($thrown instanceof RedisLockException) {
        same("$what: reasons", 1, count($thrown->getReasons()));
        check("$what: short", strlen($thrown->getMessage()) < 1500, strlen($thrown->getMessage()));
        check("$what: printable", preg_match('~^[\x20-\x7e]+$~D', $thrown->getMessage()) === 1,
            $thrown->getMessage());
        check("$what: the server's name", preg_match('~(redis|unix)://[/\w.\[\]:-]+~',
            $thrown->getMessage()) === 1, $thrown->getMessage());
    }
    $rows++;
};
/* Failures before the first command, and in the handshake. */
$run('refused', $C, '~refused~i', 'redis://127.0.0.1:' . refusing_port($holder), 1.0);
$run('no such socket', $C, '~no such file~i', "unix://$server->folder/nothing", 1.0);
$run('a socket that is a folder', $C, '~.~', "unix://$server->folder", 1.0);
$run('a name that is not found', $C, '~no-such-host~', 'redis://no-such-host.invalid', 30.0);
$run('lets nobody in', $C, '~connect~i', full_server()->dsn(), 2.5);
$run('lets nobody in (unix)', $C, '~connect~i', full_server(unix: true)->dsn(), 2.5);
foreach (['closes on connect' => [['close'], $C, $closed],
    'talks first' => [[send("hello\r\n")], $C, $garbled],
    'says it is full' => [[send("-ERR max number of clients reached\r\n"), 'close'], null,
            '~max number|clos|reset|broken~i']] as $what => [$steps, $class, $message]) {
    $fake = fake_server([rule('(connect)', $steps)], $server, unix: true);
    if ($class === null) {
        try {
            $ignored = (new RedisLock($fake->dsn(), timeout: slack(1.0)))->acquire('k');
            check($what, false);
        } catch (RedisLockException $thrown) {
            matches($what, $message, $thrown->getMessage());
        }
        $rows++;
    } else {
        $run($what, $class, $message, $fake->dsn(), 2.5);
    }
    $fake->rules([]);
    $fake->drain();
    eventually("$what: no key", fn () => $server->keys() === []) || $server->cmd('FLUSHALL');
    $fake->stop();
}
foreach ([
    'AUTH wrong' => ['AUTH',
        [send("-WRONGPASS invalid username-password pair or user is disabled.\r\n")], $S,
        '~WRONGPASS~'],
    'AUTH without a password set' => ['AUTH',
        [send(
            "-ERR AUTH <password> called without any password configured for the default user.\r\n")],
            $S, '~without any password~'],
    'AUTH number' => ['AUTH', [send(":1\r\n")], $C, $garbled],
    'AUTH closes' => ['AUTH', ['close'], $C, $closed],
    'AUTH hangs' => ['AUTH', ['hang'], $C, $late],
    'SELECT out of range' => ['SELECT', [send("-ERR DB index is out of range\r\n")], $S,
        '~out of range~'],
    'SELECT not allowed' => ['SELECT',
        [send("-NOPERM this user has no permissions to run the 'select' command\r\n")], $S,
        '~NOPERM~'],
    'SELECT in a cluster' => ['SELECT', [send("-ERR SELECT is not allowed in cluster mode\r\n")],
        $S, '~cluster~'],
    'SELECT nonsense' => ['SELECT', [send("nonsense\r\n")], $C, $garbled],
    'SELECT closes' => ['SELECT', ['close'], $C, $closed],
    'SELECT hangs' => ['SELECT', ['hang'], $C, $late],
] as $what => [$command, $steps, $class, $message]) {
    $fake = fake_server([rule($command, $steps)], $server, unix: true);
    $command === 'SELECT' && $fake->rules([rule($command, $steps), rule('AUTH', ['answer'])]);
    $run($what, $class, $message, $fake->dsn('?db=3', 'user:pw'), 2.5);
    $fake->rules([]);
    $fake->drain();
    eventually("$what: no key", fn () => $server->keys() === []) || $server->cmd('FLUSHALL');
    $fake->stop();
}
same('keys', [], $server->keys());
check('rows', $rows >= 20, $rows);
echo $rows, " rows\n";

done();
?>
--EXPECTREGEX--
\d+ rows
ok
