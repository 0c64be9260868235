--TEST--
The handshake sends AUTH and SELECT only where they are needed.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the way to a node has commands of its own');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$server->cmd('ACL', 'SETUSER', 'shop', 'on', '>pw', '~*', '+@all');
$named = $server->shown(['CLIENT SETNAME redislock:LABEL']);
$monitor = $server->monitor();

foreach ([
    [$server->dsn(), []],
    [$server->dsn('?db=3'), ['SELECT 3']],
    [$server->dsn('', 'shop:pw'), ['AUTH (redacted) (redacted)']],
] as [$dsn, $handshake]) {
    $lock = new RedisLock($dsn);
    $token = $lock->acquire('k');
    same("first commands for $dsn",
        [...$handshake, 'SET k TOKEN NX PX 30000', ...$named], $monitor->lines());
    same('release()', true, $lock->release('k', $token));
    $monitor->commands();
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
