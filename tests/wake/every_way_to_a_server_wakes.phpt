--TEST--
Waiters are woken over TCP and unix sockets, with a password, as an ACL user, in other databases.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('it has one database');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server(['requirepass' => 'secret'], tcp: true);
$control = new RespClient("unix://$server->socket");
$control->cmd('AUTH', 'secret');
$control->cmd('ACL', 'SETUSER', 'locker', 'on', '>pw', '~*', '&*', '+@all');
foreach ([
    $server->dsn('', ':secret'), $server->dsn('?db=3', ':secret'),
    $server->dsn('?db=3', 'locker:pw'),
    $server->tcpDsn('', ':secret'), $server->tcpDsn('/5', 'locker:pw'),
] as $dsn) {
    foreach ([true, false] as $persistent) {
        $lock = new RedisLock($dsn, persistent: $persistent);
        $token = $lock->acquire('k');
        $waiter = waiter($dsn, 'k', options: ['persistent' => $persistent]);
        eventually('it waits', fn () => (int) $control->info('clients')['blocked_clients'] === 1);
        same('release()', true, $lock->release('k', $token));
        $result = $waiter->result();
        woken($dsn, $result);
        same('release()', true, $lock->release('k', $result['token']));
    }
}
same('keys', '', trim(preg_replace('~#.*~', '', $control->cmd('INFO', 'keyspace'))));

done();
?>
--EXPECT--
ok
