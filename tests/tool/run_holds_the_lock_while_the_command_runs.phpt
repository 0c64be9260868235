--TEST--
redislock run renews its lock while the command runs; another run exits with 75 and names the holder, or waits.
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
$ttl = room(1.0);
$first = start_tool($server->dsn(), 'run', '订单:42', "--ttl=$ttl", '--prefix=app:', '--', 'sh',
    '-c', 'echo at work; read line; echo "$line"');
$first->expect('~at work~');
nap(2 * $ttl);
$lock = new RedisLock($server->dsn(), 'app:');
$holder = $lock->inspect('订单:42')?->label;
matches('the holder', "~:$first->pid$~", (string) $holder);

$second = tool($server->dsn(), 'run', '订单:42', '--prefix=app:', '--', 'echo', 'ran');
matches('taken', "~^redislock: the lock \"订单:42\" is held by $holder for [\d.]+ s more\n\[75\]\n$~",
    $second);
same('quiet', "[75]\n",
    tool($server->dsn(), 'run', '订单:42', '--prefix=app:', '--quiet', '--', 'echo', 'ran'));
same('another prefix', "ran\n[0]\n", tool($server->dsn(), 'run', '订单:42', '--', 'echo', 'ran'));
$start = now();
matches('a wait', '~^redislock: the lock .* is held by .*\n\[75\]\n$~',
    tool($server->dsn(), 'run', '订单:42', '--prefix=app:', '--wait=0.3', '--', 'echo', 'ran'));
check('as long as --wait', now() - $start >= 0.3, now() - $start);

$third = start_tool($server->dsn(), 'run', '订单:42', '--prefix=app:', '--wait=inf', '--', 'echo',
    'third');
eventually('it waits', fn () => $lock->inspect('订单:42')?->waiters === 1);
same('still held', $holder, $lock->inspect('订单:42')?->label);
$first->tell('the end');
same('the first', "at work\nthe end\n", $first->output());
same('the third', "third\n", $third->output());
same('its code', 0, $third->status());
same('locks', [], $server->locks());

done();
?>
--EXPECT--
ok
