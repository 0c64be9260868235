--TEST--
A database that does not exist is an error, and the SET that ran in database 0 is undone.
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
require __DIR__ . '/../inc/server.inc';

$server = start_server();
foreach ([null, 'mine'] as $own) {
    $lock = new RedisLock($server->dsn('?db=99'), persistent: false);
    $error = throws('acquire()', 'RedisLockServerException',
        '~SELECT.*99|db.*99|99.*range|index.*range~i', fn () => $lock->acquire('k', token: $own));
    same('code of the error', 'ERR', $error->getErrorCode());
    eventually('no key', fn () => $server->keys() === []);
}

$server->cmd('SET', 'k', 'mine', 'PX', 60000);
$lock = new RedisLock($server->dsn('?db=99'));
throws("somebody's lock in database 0", 'RedisLockServerException', '~.~',
    fn () => $lock->acquire('k', token: 'mine'));
usleep(100000);
same('it is not undone', 'mine', $server->cmd('GET', 'k'));
throws('release()', 'RedisLockServerException', '~.~', fn () => $lock->release('k', 'mine'));
throws('forceRelease()', 'RedisLockServerException', '~.~', fn () => $lock->forceRelease('k'));
same('nor released', 'mine', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
