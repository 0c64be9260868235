--TEST--
The exception for a real server that refuses writes has the reason, and no key stays.
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

$expect = function (string $code, RedisLock $lock, ?TestServer $server = null): void {
    foreach ([null, 'mine'] as $own) {
        $thrown = throws($code, 'RedisLockServerException', "~$code~",
            fn () => $lock->acquire('k', token: $own));
        same("$code: code", $code, $thrown?->getErrorCode());
    }
    $server && same("$code: keys", [], $server->keys());
};
$server = start_server(tcp: true);
$server->cmd('CONFIG', 'SET', 'maxmemory', '1');
$expect('OOM', new RedisLock($server->dsn()), $server);
$server->cmd('CONFIG', 'SET', 'maxmemory', '0');
$server->cmd('CONFIG', 'SET', 'min-replicas-to-write', '1');
$expect('NOREPLICAS', new RedisLock($server->dsn()), $server);
$server->cmd('CONFIG', 'SET', 'min-replicas-to-write', '0');

$replica =
    start_server(['replicaof' => [['127.0.0.1', (string) refusing_port($holder)]],
        'replica-serve-stale-data' => 'no']);
throws('MASTERDOWN', 'RedisLockServerException', '~MASTERDOWN~',
    fn () => (new RedisLock($replica->dsn()))->isLocked('k'));
$replica->cmd('CONFIG', 'SET', 'replica-serve-stale-data', 'yes');
$expect('READONLY', new RedisLock($replica->dsn()), $replica);

$server->cmd('ACL', 'SETUSER', 'reader', 'on', '>pw', '~shop:*', '+get', '+exists');
$reader = new RedisLock($server->dsn('', 'reader:pw'));
$expect('NOPERM', $reader, $server);
same('what is allowed works', false, $reader->isLocked('shop:k'));
throws('another key', 'RedisLockServerException', '~NOPERM~', fn () => $reader->isLocked('k'));

done();
?>
--EXPECT--
ok
