--TEST--
A wrong password or user is an error, and a SET that ran as the default user is undone.
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
$server->cmd('ACL', 'SETUSER', 'shop', 'on', '>right', '~*', '+@all');
foreach (['shop:wrong', 'nobody:right', ':secret'] as $credentials) {
    foreach ([null, 'mine'] as $own) {
        $lock = new RedisLock($server->dsn('', $credentials), persistent: false);
        $error = throws($credentials, 'RedisLockServerException', '~AUTH|WRONGPASS|password~',
            fn () => $lock->acquire('k', token: $own));
        check('code of the error', in_array($error->getErrorCode(), ['WRONGPASS', 'ERR'], true),
            $error->getErrorCode());
        eventually('no key', fn () => $server->keys() === []);
    }
}

$server->cmd('SET', 'k', 'mine', 'PX', 60000);
throws("somebody's lock", 'RedisLockServerException', '~.~',
    fn () => $lock->acquire('k', token: 'mine'));
usleep(100000);
same('it is not undone', 'mine', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
