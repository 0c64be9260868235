--TEST--
An acquire() on a server that hangs is undone when the server continues.
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

$server = start_server(tcp: true);
foreach ([$server->dsn(), $server->tcpDsn()] as $dsn) {
    foreach (['warm', 'cold'] as $state) {
        $lock = new RedisLock($dsn, timeout: room(0.2), connectTimeout: room(0.2));
        $state === 'warm' ? $lock->isLocked('k') : $lock->close();
        $server->pause();
        $thrown = throws("$state acquire()", 'RedisLockConnectionException', '~.~',
            fn () => $lock->acquire('k', 60));
        same('its reasons', 1, count($thrown->getReasons()));
        $undone = RedisLock::stats()['grants_undone'];
        $server->resume();
        usleep(100000);
        eventually('no key', fn () => $server->keys() === []);
        same('the next one is taken', true, $lock->release('k', $lock->acquire('k')));
    }
}

done();
?>
--EXPECT--
ok
