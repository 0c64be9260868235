--TEST--
bin/redislock-top shows the locks under a prefix with holder, time left and waiters, by SCAN, as a table or JSON.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_tls('the certificate is for the extension');
skip_by_topology('see tests/cluster and tests/sentinel');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

require __DIR__ . '/../inc/top.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), label: 'web-3:8812');
$token = $lock->acquire('shop:42', 60);
$server->cmd('SET', 'shop:*', 'somebody');
$server->cmd('SET', 'other', 'somebody', 'PX', 60000);
$server->cmd('LPUSH', 'shop:list', 'x');
$server->cmd('ZADD', 'symfony', '1', 'x');
$waiter = waiter($server->dsn(), 'shop:42');
queued($server, 1);
$monitor = $server->monitor();

$found = json_decode(top('--once', '--json', '--prefix=shop:', $server->dsn()), true);
same('complete', true, $found['complete']);
same('keys', ['shop:42', 'shop:*'], array_column($found['locks'], 'key'));
[$ours, $foreign] = $found['locks'];
same('holder', 'web-3:8812', $ours['holder']);
between('remaining', 50, 60, $ours['remaining']);
same('waiters', 1, $ours['waiters']);
same('isForeign', [false, true], [$ours['isForeign'], $foreign['isForeign']]);
same('no TTL', null, $foreign['remaining']);
check('SCAN', $monitor->named('SCAN') !== []);
same('never KEYS', [], $monitor->named('KEYS'));
same('a prefix is no pattern', ['shop:*'], array_keys(holders('--prefix=shop:*', $server->dsn())));
$all = holders($server->dsn());
same('all, with a lock of symfony/lock', 4, count($all));
check('symfony', array_key_exists('symfony', $all));
same('a scheme in capitals', 4,
    count(holders(str_replace('unix', 'UNIX', $server->dsn()))));
same('the INI setting', [], json_decode(
    (string) shell_exec(php_command(['redislock.servers' => $server->dsn('?db=1')]) . ' '
    . escapeshellarg(__DIR__ . '/../../bin/redislock-top') . ' --once --json'), true)['locks']);

$limited = json_decode(top('--once', '--json', '--limit=1', $server->dsn()), true);
same('a limit', [1, false], [count($limited['locks']), $limited['complete']]);
for ($i = 0; $i < 3000; $i++) {
    $fill[] = ['SET', "filler:$i", '1'];
}
$server->client()->pipeline(...$fill);
for ($i = 0; $i < 3000; $i++) {
    $server->client()->read();
}
$limited =
    json_decode(top('--once', '--json', '--scan=500', '--prefix=none', $server->dsn()), true);
same('a limit of SCAN', [0, false], [count($limited['locks']), $limited['complete']]);

$table = top('--once', '--prefix=shop:', $server->dsn());
matches('the table', '~^2 locks, 1 waiters, .*\n\nKEY .*\nshop:42 +web-3:8812 +\d+\.\d s +1\n'
    . 'shop:\* +\(another client\) +no TTL +0\n$~', $table);
matches('no server', '~^redislock-top: ~', top('--once', 'redis://127.0.0.1:1'));
matches('a bad DSN', '~^redislock-top: .*valid~', top('--once', 'http://x'));
matches('nothing for the terminal', '~^redislock-top: [\x20-\x7e]*none[\x20-\x7e]*\n$~',
    top('--once', "unix:///none/\u{9b}31m\u{202e}"));
foreach ([['--nothing'], ['--once', '--nothing', $server->dsn()], ['--once', '--prefix'],
    ['--once', '--limit=x', $server->dsn()], ['--once', '--json=1'],
    [$server->dsn(), '--once', '--json']] as $words) {
    matches(implode(' ', $words), '~^usage: ~', top(...$words));
}
same('a value of its own word, twice', ['shop:*'], array_keys(
    holders('--prefix', 'none', '--prefix', 'shop:*', $server->dsn())));

/* The program reads a DSN as the extension does; the server with this password is no Sentinel. */
$guarded = start_server(['requirepass' => 'a+b@c'], true);
same("an '@' in a password", [],
    holders("redis://:a+b@c@{$guarded->hostAndPort()}"));
matches("a '+' in an option", '~unknown command .SENTINEL~', top('--once',
    "redis-sentinel://{$guarded->hostAndPort()}/main?sentinel_password=a+b%40c"));
$lock->release('shop:42', $token);
$waiter->result();

done();
?>
--EXPECT--
ok
