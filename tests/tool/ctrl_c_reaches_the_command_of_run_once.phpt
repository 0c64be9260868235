--TEST--
The command of redislock run may read its terminal, and Ctrl-C there reaches the command once.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the key is looked at on one server');
if (!str_contains((string) shell_exec('script --version 2>&1'), 'util-linux')) {
    die('skip no script(1) of util-linux');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';

$server = start_server();
/* Not a trap of the shell, which may run once for two signals. Neither shell stays: Ctrl-C would
   end it, too. */
$command = 'exec ' . tool_command(['run', 'k', '--', 'sh', '-c', 'exec ' . php_command() . ' -r '
    . escapeshellarg('pcntl_async_signals(true);
        pcntl_signal(SIGINT, function (): void { echo "interrupted\n"; });
        echo "ready\n";
        while (trim($line = (string) fgets(STDIN)) !== "more") {
        }
        echo "got $line";
        exit(4);')]);
$terminal = new PhpChild('script -qec ' . escapeshellarg($command) . ' /dev/null',
    ['REDISLOCK_DSN' => $server->dsn()]);
$terminal->expect('~ready~');
$terminal->tell("\x03");
$terminal->expect('~interrupted~');
usleep(300_000); // for a second one
$terminal->tell('more');
$output = $terminal->expect('~got~');
same('once', 1, substr_count($output, 'interrupted'));
same('exit code', 4, $terminal->status());
same('locks', [], $server->locks());

done();
?>
--EXPECT--
ok
