--TEST--
Objects for another user or another database have connections of their own.
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
$server->cmd('ACL', 'SETUSER', 'shop', 'on', '>pw', '~*', '+@all');
$locks = [];
foreach ([$server->dsn(), $server->dsn('?db=1'), $server->dsn('', 'shop:pw'),
        $server->dsn('?db=1', 'shop:pw')] as $dsn) {
    $lock = $locks[] = new RedisLock($dsn);
    $lock->isLocked('k');
    (new RedisLock($dsn))->isLocked('k');
}
$seen = array_map(fn ($client) => $client['user'] . '/' . $client['db'],
    $server->client()->clients());
sort($seen);
same('connections', ['default/0', 'default/1', 'shop/0', 'shop/1'], $seen);

throws('a wrong password never gets the connection of the right one', 'RedisLockServerException',
    '~WRONGPASS~',
    fn () => (new RedisLock($server->dsn('', 'shop:wrong')))->isLocked('k'));

done();
?>
--EXPECT--
ok
