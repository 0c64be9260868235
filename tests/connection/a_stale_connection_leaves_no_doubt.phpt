--TEST--
A call notices before it uses an idle connection that the connection was closed, so that nothing is in doubt.
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
    $stale = function (callable $call) use ($server, $lock) {
        $lock->isLocked('k');
        foreach ($server->client()->clients() as $client) {
            $server->cmd('CLIENT', 'KILL', 'ID', $client['id']);
        }
        usleep(150000);
        return $call();
    };
    same('release() of a free lock', false,
        $stale(fn () => $lock->release('k', RedisLock::token())));
    same('forceRelease() of a free lock', false, $stale(fn () => $lock->forceRelease('k')));
    $ignored = $lock->acquire('k', 60, token: 'mine');
    same('acquire() with the token that the key has', null,
        $stale(fn () => $lock->acquire('k', 60, token: 'mine')));
    same('release()', true, $stale(fn () => $lock->release('k', 'mine')));
}

done();
?>
--EXPECT--
ok
