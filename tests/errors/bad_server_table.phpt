--TEST--
Every server that hangs, drips, lies or answers errors causes its exception in time, and leaves no key.
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

/* A row: what => [class, message, how the server behaves, on which command; the connection is cold
 * or warm]. */
$C = 'RedisLockConnectionException';
$S = 'RedisLockServerException';
$garbled =
    '~protocol|unexpected|not a reply|nonsense|invalid|understand|too (long|large|big)|reply|answer~i';
$closed = '~clos|reset|broken|lost|gone|hung up|end of~i';
$late = '~timed? ?out|in time|no (answer|reply)|answer|repl~i';

$replies = [
    'a word' => [$C, $garbled, "hello\r\n"],
    'HTTP' => [$C, $garbled, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html>"],
    'SSH' => [$C, $garbled, "SSH-2.0-OpenSSH_9.2\r\n"],
    'TLS' => [$C, $garbled, "\x15\x03\x01\x00\x02\x02\x46"],
    'NUL bytes' => [$C, $garbled, str_repeat("\0", 100)],
    'a string of 2 GB' => [$C, $garbled, "\$2147483647\r\nabc"],
    'a string of 2 MB' => [$C, $garbled, "\$2097152\r\n" . str_repeat('x', 2097152) . "\r\n"],
    'a string of -2 bytes' => [$C, $garbled, "\$-2\r\n"],
    'a string of abc bytes' => [$C, $garbled, "\$abc\r\n"],
    'a string of 10^30 bytes' => [$C, $garbled, '$1' . str_repeat('0', 30) . "\r\n"],
    'a string longer than it says' => [$C, $garbled, "\$3\r\nabcdef\r\n"],
    'an array of a billion' => [$C, $garbled, "*1000000000\r\n"],
    'an array of 2^31' => [$C, $garbled, "*2147483648\r\n:1\r\n"],
    'an array of -5' => [$C, $garbled, "*-5\r\n"],
    'an array of abc' => [$C, $garbled, "*abc\r\n"],
    'arrays in arrays' => [$C, $garbled, str_repeat("*1\r\n", 10000)],
    'an array of errors' => [$C, $garbled, "*2\r\n-ERR a\r\n-ERR b\r\n"],
    'a number' => [$C, $garbled, ":1\r\n"],
    'a number that is none' => [$C, $garbled, ":12x\r\n"],
    'a number that is too large' => [$C, $garbled, ":99999999999999999999999\r\n"],
    'another status' => [$C, $garbled, "+QUEUED\r\n"],
    'an empty status' => [$C, $garbled, "+\r\n"],
    'a string' => [$C, $garbled, "\$5\r\nhello\r\n"],
    'an empty array' => [$C, $garbled, "*0\r\n"],
    'RESP3 push' => [$C, $garbled, ">2\r\n+invalidate\r\n*0\r\n"],
    'RESP3 map' => [$C, $garbled, "%1\r\n+a\r\n+b\r\n"],
    'half a reply' => [$C, $late, '+O'],
    'half a string' => [$C, $late, "\$100\r\nhalf"],
    'empty lines' => [$C, $garbled, "\r\n\r\n\r\n"],

    'NOAUTH' => [$S, '~NOAUTH~', "-NOAUTH Authentication required.\r\n"],
    'WRONGPASS' => [$S, '~WRONGPASS~',
        "-WRONGPASS invalid username-password pair or user is disabled.\r\n"],
    'NOPERM' => [$S, '~NOPERM~',
        "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n"],
    'LOADING' => [$S, '~LOADING~', "-LOADING Redis is loading the dataset in memory\r\n"],
    'OOM' => [$S, '~OOM~', "-OOM command not allowed when used memory > 'maxmemory'.\r\n"],
    'READONLY' => [$S, '~READONLY~', "-READONLY You can't write against a read only replica.\r\n"],
    'MASTERDOWN' => [$S, '~MASTERDOWN~',
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n"],
    'MISCONF' => [$S, '~MISCONF~',
        "-MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.\r\n"],
    'MOVED' => [$S, '~MOVED~', "-MOVED 3999 127.0.0.1:6381\r\n"],
    'CLUSTERDOWN' => [$S, '~CLUSTERDOWN~', "-CLUSTERDOWN Hash slot not served\r\n"],
    'BUSY' => [$S, '~BUSY~',
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n"],
    'NOREPLICAS' => [$S, '~NOREPLICAS~', "-NOREPLICAS Not enough good replicas to write.\r\n"],
    'DENIED' => [$S, '~DENIED~', "-DENIED Redis is running in protected mode\r\n"],
    'EXECABORT' => [$S, '~EXECABORT~', "-EXECABORT Transaction discarded\r\n"],
    'ERR' => [$S, '~unknown command~', "-ERR unknown command\r\n"],
    'an error without a code' => [$S, '~something is wrong~', "-something is wrong\r\n"],
    'an empty error' => [$S, '~.~', "-\r\n"],
    'an error of one space' => [$S, '~.~', "- \r\n"],
    'an error with control characters' => [$S, '~ERR~', "-ERR \x1b[2Jclear\x07\0\x7f\xff\r\n"],
    'a long error' => [$S, '~ERR~', '-ERR ' . str_repeat('long ', 50000) . "\r\n"],
];
$behaviours = [
    'closes at once' => [$C, $closed, ['close']],
    'closes after a part' => [$C, $closed, [send('+O'), 'close']],
    'closes in a string' => [$C, $closed, [send("\$100\r\nabc"), 'close']],
    'never answers' => [$C, $late, ['hang']],
    'answers late' => [$C, $late, [wait_for(room(0.6)), 'forward', 'reply']],
    'runs it and answers late' => [$C, $late, ['forward', wait_for(room(0.6)), 'reply']],
    'runs it and answers nonsense' => [$C, $garbled, ['forward', send("nonsense\r\n")]],
    'runs it and answers what is no answer to it' => [$C, $garbled, ['forward', send(":1\r\n")]],
    'runs it and answers half' => [$C, $late, ['forward', send('+O')]],
    'runs it and answers without an end' => [$C, $garbled, ['forward', send('+'), endless('A')]],
    'runs it and never answers' => [$C, $late, ['forward', 'mute']],
    'drips' => [$C, $late, [drip("+OK really, it is OK, it is\r\n", 0.05)]],
    'sends a line without an end' => [$C, $garbled, [endless('A')]],
    'sends a status without an end' => [$C, $garbled, [send('+'), endless('A')]],
    'sends an error without an end' => [$C, $garbled, [send('-ERR '), endless('A')]],
    'sends a string without an end' => [$C, $garbled, [send("\$1000000000\r\n"), endless('A')]],
    'sends an array without an end' => [$C, $garbled, [send("*1000000\r\n"), endless(":1\r\n")]],
];
foreach ($replies as $what => [$class, $message, $bytes]) {
    $behaviours["answers $what"] = [$class, $message, [send($bytes)]];
}

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
$fake = fake_server([], $server, unix: true);
foreach ($behaviours as $what => [$class, $message, $steps]) {
    foreach (['cold', 'warm'] as $state) {
        $rules = [rule('SET', $steps), rule('EVALSHA', $steps)];
        $state === 'cold' && $fake->rules($rules);
        $run("$state, $what", $class, $message, $fake->dsn(), 0.5 + 2.0,
            $state === 'warm' ? fn () => $fake->rules($rules) : null);
        $fake->rules([]);
        $fake->drain();
        eventually("$state, $what: no key", fn () => $server->keys() === [])
            || $server->cmd('FLUSHALL');
    }
}
same('keys', [], $server->keys());
check('rows', $rows >= 80, $rows);
echo $rows, " rows\n";

done();
?>
--EXPECTREGEX--
\d+ rows
ok
