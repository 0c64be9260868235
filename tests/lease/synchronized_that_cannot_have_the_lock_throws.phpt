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
$thrown = throws('at once', 'RedisLockTimeoutException',
    '~^could not acquire the lock "42": it is taken$~',
    fn () => $own->synchronized('42', $section));
same('getReasons()', [], $thrown->getReasons());
$took =
    elapsed(fn () => throws('after a wait', 'RedisLockTimeoutException', '~"stock:42".* 0\.15 s~',
        fn () => $lock->synchronized('stock:42', $section, wait: 0.15)));
check('it waited', $took >= 0.15, $took);
throws('a holder without a label', 'RedisLockTimeoutException',
    '~: it is held by a client without a label for up to (59|60)(\.\d)? s more$~',
    fn () => $lock->synchronized('stock:42', $section, wait: 0.1));
$holder = new RedisLock($server->dsn(), label: 'web-3:8812');
$server->cmd('DEL', 'labelled');
$ignored = $holder->acquire('labelled', 30);
throws('a holder with a label', 'RedisLockTimeoutException',
    '~^could not acquire the lock "labelled" within 0\.1 s: '
    . 'it is held by web-3:8812 for up to (29|30)(\.\d)? s more$~',
    fn () => $lock->synchronized('labelled', $section, wait: 0.1));
$server->cmd('SET', 'forever', $holder->acquire('other'));
throws('a holder without a TTL', 'RedisLockTimeoutException',
    '~: it is held by web-3:8812, without a TTL$~',
    fn () => $lock->synchronized('forever', $section, wait: 0.1));
same('value', 'somebody', $server->cmd('GET', 'stock:42'));

done();
?>
--EXPECT--
ok
