--TEST--
A server with too many clients causes an exception with its error.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_tls('a server with too many clients ends the connection before it can say so');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$keep = [];
$server->cmd('CONFIG', 'SET', 'maxclients', '1');
$lock = new RedisLock($server->dsn());
foreach ([fn () => $lock->acquire('k'), fn () => $lock->isLocked('k')] as $call) {
    try {
        $call();
        check('an exception', false);
    } catch (RedisLockException $thrown) {
        matches('message', '~max number of clients~', $thrown->getMessage());
        matches('class', '~^RedisLockServerException$~', $thrown::class);
        check('no doubt', !str_contains($thrown->getMessage(), 'unknown'), $thrown->getMessage());
    }
}
/* With a password AUTH meets the error, and the SET after it was never read. */
$server->cmd('ACL', 'SETUSER', 'shop', 'on', '>pw', '~*', '+@all');
$thrown = throws('with a password', 'RedisLockServerException', '~max number of clients~',
    fn () => (new RedisLock($server->dsn('', 'shop:pw')))->acquire('k'));
check('no doubt with a password', !str_contains((string) $thrown?->getMessage(), 'unknown'),
    $thrown?->getMessage());
$server->cmd('CONFIG', 'SET', 'maxclients', '100');
same('keys', [], $server->keys());
same('connections', 3, RedisLock::stats()['connects']);
matches('afterwards', TOKEN, $lock->acquire('k'));

done();
?>
--EXPECT--
ok
