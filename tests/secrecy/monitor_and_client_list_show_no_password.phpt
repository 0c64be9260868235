--TEST--
The server's own tools show no password, and the connection carries a name.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$server->cmd('ACL', 'SETUSER', 'shop', 'on', '>S3CRET', '~*', '+@all');
$monitor = $server->monitor();
(new RedisLock($server->dsn('', 'shop:S3CRET')))->isLocked('k');
check('MONITOR', !str_contains(implode("\n", $monitor->lines()), 'S3CRET'));
same('CLIENT LIST', [['redislock:' . gethostname() . ':' . getmypid(), 'shop']],
    array_map(fn ($client) => [$client['name'], $client['user']], $server->client()->clients()));

done();
?>
--EXPECT--
ok
