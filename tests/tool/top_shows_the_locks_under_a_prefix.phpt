--TEST--
redislock top shows the locks under a prefix with holder, age, time left and waiters, as a table or JSON: those with waiters first, then those held longest.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('see tests/cluster and tests/sentinel');
?>
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$dsn = $server->dsn();
$lock = new RedisLock($dsn, label: 'web-3:8812');
$token = $lock->acquire('shop:42', 60);
$server->cmd('SET', 'shop:*7', 'somebody');
$server->cmd('SET', 'other', 'somebody', 'PX', 60000);
$server->cmd('LPUSH', 'shop:list', 'x');
$server->cmd('ZADD', 'queues:default:reserved', '1', 'x');
$began = time();
$waiter = waiter($dsn, 'shop:42', [], ['label' => 'web-1:7']);
queued($server, 1);

$found = top($dsn, '--prefix=shop:', '--all');
same('complete', true, $found['isComplete']);
same('keys', ['shop:42', 'shop:*7'], array_column($found['locks'], 'key'));
[$ours, $foreign] = $found['locks'];
same('holder', 'web-3:8812', $ours['holder']);
between('remaining', 30, 60, $ours['remaining']);
between('since', $began - slack(5), $began, $ours['since']);
same('waiters', 1, $ours['waiters']);
same('waiting', ['web-1:7'], $ours['waiting']);
same('isForeign', [false, true], [$ours['isForeign'], $foreign['isForeign']]);
same('no TTL', null, $foreign['remaining']);

same('only locks', ['shop:42'], array_keys(holders($dsn)));
same('what is hidden', 2, top($dsn)['hidden']);
same('all strings', 3, count(holders($dsn, '--all')));
same('a prefix is no pattern', ['shop:*7'], array_keys(holders($dsn, '--prefix=shop:*', '--all')));
same('without the prefix', ['42'], array_map('strval', array_keys(
    holders($dsn, '--prefix=shop:', '--strip'))));
same('the last value counts', ['shop:42'], array_keys(
    holders($dsn, '--prefix', 'none', '--prefix', 'shop:')));
$limited = top($dsn, '--limit=1', '--all');
same('a limit', [1, false], [count($limited['locks']), $limited['isComplete']]);
same('the ini settings', ['shop:42'], array_column(json_decode((string) shell_exec('REDISLOCK_DSN= '
    . tool_command(['top', '--once', '--json'],
        ['redislock.servers' => $dsn, 'redislock.prefix' => 'shop:'])), true)['locks'], 'key'));
$other = start_server();
same('several options --dsn are a set', [], holders('', "--dsn=$dsn", '--dsn=' . $other->dsn()));

matches('the table', '~^1 lock, 1 waiter, [\d:]{8}; --all shows 1 other key\n\n'
    . 'KEY +HOLDER +HELD +LEFT +WAITERS\n'
    . 'shop:42  web-3:8812  \S+ s +[\d.]+ s  1: web-1:7\n\[0\]\n$~',
    tool($dsn, 'top', '--once', '--prefix=shop:'));
matches('all', '~\nshop:\*7 +\(another client\)  \?  +no TTL  +0\n~',
    tool($dsn, 'top', '--once', '--prefix=shop:', '--all'));
matches('beyond the limit', '~; more than 1 key, see --limit\n~',
    tool($dsn, 'top', '--once', '--all', '--limit=1'));

matches('a pattern', '~^0 locks, .*\n--prefix is no pattern: "\*" stands for itself\n\[0\]\n$~s',
    tool($dsn, 'top', '--once', '--prefix=sh*'));

/* The second in which a token was drawn decides, and among equals the key. */
$old = RedisLock::token();
eventually('the next second', fn () => time() > $began);
usleep(1_100_000);
foreach (['order:b' => null, 'order:a' => null, 'order:z' => $old] as $key => $token) {
    same($key, true, $lock->acquire($key, 60, token: $token ?? RedisLock::token()) !== null);
}
$more = [];
foreach (['web-1:10', 'web-1:2'] as $i => $label) {
    $more[] = waiter($dsn, 'shop:42', [], ['label' => $label]);
    queued($server, 2 + $i);
}
same('the waiters, sorted', ['web-1:2', 'web-1:7', 'web-1:10'],
    top($dsn)['locks'][0]['waiting']);
$order = array_keys(holders($dsn));
same('the waiters first, then the oldest', ['shop:42', 'order:z'], array_slice($order, 0, 2));
same('the others', [], array_diff(['order:a', 'order:b'], array_slice($order, 2)));
$small = new PhpChild(tool_command(['top']), ['REDISLOCK_DSN' => $dsn, 'LINES' => '7']);
$small->expect('~\norder:z .*\n\.\.\. 2 more; --once shows all\n~s');
$small->signal(SIGTERM);
$small->output();
array_map(fn (object $one) => $one->kill(), $more);
$lock->forceRelease('order:a');
$lock->forceRelease('order:b');
$lock->forceRelease('order:z');

/* Each interval a view, until the reader of the pipe has enough. */
$views = (string) shell_exec('REDISLOCK_DSN=' . escapeshellarg($dsn) . ' '
    . tool_command(['top', '--json', '--interval=0.1']) . ' 2>&1 | head -n 3');
same('three views', 3, substr_count($views, '"key":"shop:42"'));
$live = start_tool($dsn, 'top', '--interval=0.1');
$live->expect('~\e\[H\e\[J1 lock.*\e\[H\e\[J1 lock~s');
$server->kill();
$live->expect('~\e\[H\e\[J[\d:]{8} [^\e]*connect~');
$live->signal(SIGTERM);
$live->output();
$waiter->kill();

done();
?>
--EXPECT--
ok
