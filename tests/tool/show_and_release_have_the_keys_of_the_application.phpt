--TEST--
redislock show says who holds a lock, since when and who waits, and redislock release frees it after a question, by the application's key.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the test looks at the keys of one server');
if (!str_contains((string) shell_exec('script --version 2>&1'), 'util-linux')) {
    die('skip no script(1) of util-linux');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$dsn = $server->dsn();
$lock = new RedisLock($dsn, 'app:', label: 'web-3:8812');
$show = fn (string ...$args): string => tool($dsn, 'show', ...$args);

same('free', "订单:42 is free\n[1]\n", $show('订单:42', '--prefix=app:'));
same('free, as JSON', ['key' => 'a', 'isLocked' => false],
    json_decode(strtok($show('a', '--json'), "\n"), true));

$began = time();
$token = $lock->acquire('订单:42', 60);
$waiter = waiter($dsn, '订单:42', [], ['prefix' => 'app:', 'label' => 'web-1:7']);
queued($server, 1);
matches('held', '~^订单:42\n  holder   web-3:8812\n  since    \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+,'
    . ' [\d.]+ s ago, the wait included\n  held     for [\d.]+ s more\n  waiters  1: web-1:7\n\[0\]\n$~',
    $show('订单:42', '--prefix=app:'));
same('by the ini setting', 0, run_tool(tool_command(['show', '订单:42'],
    ['redislock.prefix' => 'app:', 'redislock.servers' => $dsn])));
same('another key', "订单:42 is free\n[1]\n", $show('订单:42'));
$two = 'redislock: the prefix "app:" stands before KEY, so this was the key "app:app:订单:42": leave'
    . " the prefix out of KEY, or give --prefix=\n";
same('a key with its prefix', "{$two}app:订单:42 is free\n[1]\n",
    $show('app:订单:42', '--prefix=app:'));
same('release', "redislock: the lock \"app:订单:42\" is free\n{$two}[1]\n",
    tool($dsn, 'release', 'app:订单:42', '--prefix=app:', '--yes'));
$fields = json_decode(strtok($show('订单:42', '--prefix=app:', '--json'), "\n"), true);
between('since', $began - 1, $began + slack(2), $fields['since']);
between('remaining', 30, 60, $fields['remaining']);
unset($fields['since'], $fields['remaining']);
same('JSON', ['key' => '订单:42', 'holder' => 'web-3:8812', 'waiters' => 1,
    'waiting' => ['web-1:7'], 'isForeign' => false, 'isReserved' => false, 'isDone' => false,
    'isLocked' => true], $fields);

/* Without a terminal it asks nobody, and with one it obeys the answer. */
matches('no terminal', '~^redislock: there is no terminal ~',
    tool($dsn, 'release', '订单:42', '--prefix=app:'));
same('still held', $token, $lock->owner('订单:42'));
foreach (['n' => 1, '' => 1, 'nay' => 1] as $answer => $code) {
    [$text, $seen] = on_terminal($dsn, (string) $answer, 'release', '订单:42', '--prefix=app:');
    matches("\"$answer\"", '~the lock "订单:42" is held for [\d.]+ s more by web-3:8812,'
        . ' which asked for it [\d.]+ s ago\. Free it\? \[y/N\]~', $text);
    same("\"$answer\": exit code", $code, $seen);
    same("\"$answer\": still held", $token, $lock->owner('订单:42'));
}
[$text, $code] = on_terminal($dsn, 'y', 'release', '订单:42', '--prefix=app:');
same('yes', 0, $code);
matches('it says so', '~redislock: the lock "订单:42" is freed~', $text);
matches('the waiter has it', TOKEN, (string) $waiter->result()['token']);

same('--yes', "[0]\n", tool($dsn, 'release', '订单:42', '--prefix=app:', '--yes'));
same('freed', false, $lock->isLocked('订单:42'));
same('a free lock', "redislock: the lock \"订单:42\" is free\n[1]\n",
    tool($dsn, 'release', '订单:42', '--prefix=app:', '--yes'));

/* A lock that changes hands before the answer stays with its new holder. */
$token = $lock->acquire('k', 60);
$terminal = terminal($dsn, 'release', 'app:k');
$terminal->expect('~Free it~');
$lock->release('k', $token);
$token = $lock->acquire('k', 60);
$terminal->tell('y');
matches('changed hands', '~has changed hands~', $terminal->output());
same('exit code', 1, $terminal->status());
same('the new holder', $token, $lock->owner('k'));

/* Holders without a token of their own. */
same('once()', true, $lock->once('work', fn () => null, for: 60));
matches('once()', '~^app:work\n  holder   \(done\)\n~', $show('app:work'));
[$text] = on_terminal($dsn, 'n', 'release', 'app:work');
matches('the question', '~the work of "app:work" is done, .* more\. Remove the mark\?~', $text);
$terminal = terminal($dsn, 'release', 'app:work');
$terminal->expect('~Remove the mark~');
$lock->forceRelease('work');
$token = $lock->acquire('work', 60);
$terminal->tell('y');
matches('a holder after a mark', '~has changed hands~', $terminal->output());
same('a holder after a mark: exit code', 1, $terminal->status());
same('the holder after the mark', $token, $lock->owner('work'));
$lock->release('work', $token);
same('once() again', true, $lock->once('work', fn () => null, for: 60));
same('the mark is removed', "[0]\n", tool($dsn, 'release', 'app:work', '--yes'));
same('it is free', false, $lock->isLocked('work'));
$server->cmd('SET', 'foreign', "\e]0;title\x07");
matches('foreign', '~^foreign\n  holder   \(another client\)\n  since    unknown\n'
    . '  held     without an end\n  waiters  0\n\[0\]\n$~', $show('foreign'));
[$text] = on_terminal($dsn, 'n', 'release', 'foreign');
matches('it may be no lock', '~has not written the value of "foreign": .* Delete it\?~', $text);
same('foreign is freed', "[0]\n", tool($dsn, 'release', 'foreign', '--yes'));
$server->cmd('LPUSH', 'list', 'x');
matches('a list', '~^redislock: .*WRONGTYPE.*\n\[69\]\n$~', $show('list'));
matches('a list', '~^redislock: .*WRONGTYPE.*\n\[69\]\n$~', tool($dsn, 'release', 'list', '--yes'));

done();

/** The exit code of a command whose output does not matter. */
function run_tool(string $command): int
{
    exec("REDISLOCK_DSN= $command 2>&1", $lines, $code);
    return $code;
}

function terminal(string $dsn, string ...$args): PhpChild
{
    return new PhpChild('script -qec ' . escapeshellarg(tool_command($args)) . ' /dev/null',
        ['REDISLOCK_DSN' => $dsn]);
}

/** @return array{string, int} what is shown, and the exit code */
function on_terminal(string $dsn, string $answer, string ...$args): array
{
    $terminal = terminal($dsn, ...$args);
    $terminal->expect('~\[y/N\]~');
    $terminal->tell($answer);
    return [$terminal->output(), $terminal->status()];
}
?>
--EXPECT--
ok
