--TEST--
redislock run gives its command the arguments, the environment and the standard streams, exits as the command does, and frees the lock.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the key is looked at on one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';

$server = start_server();
$run = fn (string ...$command): string => tool($server->dsn(), 'run', 'k', '--', ...$command);
$sh = fn (string $script, string ...$args): string => $run('sh', '-c', $script, 'sh', ...$args);

same('0', "[0]\n", $run('true'));
same('3', "[3]\n", $sh('exit 3'));
same('by a signal', "[137]\n", $sh('kill -9 $$'));
same('by SIGPIPE, which PHP ignores', "[141]\n", $sh('kill -13 $$'));
same('words', "<a b> <> <--> <-x>\n[0]\n",
    $sh('printf "<%s> <%s> <%s> <%s>\n" "$@"', 'a b', '', '--', '-x'));
same('options after the key', "[0]\n", tool($server->dsn(), 'run', '--ttl=9', 'k', '--wait', '1',
    '--max-hold=60', '--grace=1', '--quiet', '--', 'true'));
same('the environment', $server->dsn() . "\n[0]\n", $sh('echo "$REDISLOCK_DSN"'));

$cat = start_tool($server->dsn(), 'run', 'k', '--', 'head', '-n', '1');
$cat->tell('a line');
same('standard input', "a line\n", $cat->output());

matches('no such command', '~^redislock: no-such: command not found\n\[127\]$~m', $run('no-such'));
matches('no such file', '~^redislock: /no-such: command not found\n\[127\]$~m', $run('/no-such'));
matches('no program', '~^redislock: ' . preg_quote(__FILE__) . ': permission denied\n\[126\]$~m',
    $run(__FILE__));
$script = "$server->folder/script";
file_put_contents($script, "echo script \"\$1\"\n");
chmod($script, 0755);
same('without #!', "script a\n[0]\n", $run($script, 'a'));
file_put_contents($script, "#!/no-such\n");
matches('with a wrong #!', "~^redislock: cannot run $script: .+\n\[126\]$~", $run($script));

same('locks', [], $server->locks());

/* Sockets of this test go to all processes that it starts. */
$sockets = 'for fd in /proc/self/fd/*; do readlink "$fd"; done | grep -c socket:';
same('no connection goes to the command',
    (new PhpChild('sh -c ' . escapeshellarg($sockets), []))->output(),
    preg_replace('~\[\d\]\n$~', '', $sh($sockets)));

done();
?>
--EXPECT--
ok
