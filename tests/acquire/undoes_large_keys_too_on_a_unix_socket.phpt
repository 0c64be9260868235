--TEST--
An undo reaches a server that was stopped, however long the key, also over a unix socket.
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
    foreach ([10, 12000, 16000, 20000, 60000] as $size) {
        $timeout = slack(0.1);
        $lock = new RedisLock($dsn, timeout: $timeout, connectTimeout: $timeout);
        $lock->isLocked('k');
        $server->pause();
        $thrown = throws("$size bytes", 'RedisLockConnectionException', '~.~',
            fn () => $lock->acquire(str_repeat('k', $size), 60));
        $server->resume();
        usleep(50000); // it reads what was sent while it stood still
        eventually("no key of $size bytes on $dsn", fn () => $server->keys() === []);
        $left = $server->keys();
        usleep($left === [] ? 0 : 500000); // the undo may be next
        if ($left !== [] && $server->keys() === $left) {
            check('message', str_contains((string) $thrown?->getMessage(), 'unknown'),
                $thrown?->getMessage());
            $server->cmd('FLUSHALL');
        }
    }
}

done();
?>
--EXPECT--
ok
