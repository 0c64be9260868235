--TEST--
A lock that cannot be acquired in time is a RedisLockTimeoutException that names it, and the section is not called.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$server->cmd('SET', 'stock:42', 'somebody', 'PX', 60000);
$section = fn () => check('the section is not called', false);
$own = new RedisLock($server->dsn(), prefix: 'stock:');
$thrown = throws('at once', 'RedisLockTimeoutException', '~^could not acquire the lock "42" within 0 s: it is taken$~', fn () => $own->synchronized('42', $section));
same('getReasons()', [], $thrown->getReasons());
$took =
    elapsed(fn () => throws('after a wait', 'RedisLockTimeoutException', '~"stock:42".* 0\.15 s~',
        fn () => $lock->synchronized('stock:42', $section, wait: 0.15)));
check('it waited', $took >= 0.15, $took);
same('value', 'somebody', $server->cmd('GET', 'stock:42'));

done();
?>
--EXPECT--
ok
