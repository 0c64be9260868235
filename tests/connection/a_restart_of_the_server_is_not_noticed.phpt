--TEST--
If the server was restarted between two calls, the second call connects again and works.
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
    $lock = new RedisLock($dsn);
    foreach ([0, 150000] as $pause) {
        $token = $lock->acquire('a');
        $stats = RedisLock::stats();
        $server->restart();
        usleep($pause);
        matches('acquire()', TOKEN, $token = $lock->acquire('a'));
        same('release()', true, $lock->release('a', $token));

        $token = $lock->acquire('b');
        $server->restart();
        usleep($pause);
        try {
            same('release() of a lock that the server lost', false, $lock->release('b', $token));
        } catch (RedisLockConnectionException $unknown) {
            matches('or its outcome is unknown', '~unknown~i', $unknown->getMessage());
        }
        same('isLocked()', false, $lock->isLocked('b'));
        same('reconnects are counted', 2, RedisLock::stats()['reconnects'] - $stats['reconnects']);
    }
}

done();
?>
--EXPECT--
ok
