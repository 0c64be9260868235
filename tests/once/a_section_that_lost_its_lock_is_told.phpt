--TEST--
Where the lock was lost, or the section has ended it itself, once() throws, and leaves no mark.
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
$thrown = throws('deleted', 'RedisLockLostException',
    '~^the lock "mail" was lost: when the section ended~',
    fn () => $lock->once('mail', function () use ($server) {
        $server->cmd('DEL', 'mail');
        return 5;
    }, for: 60));
same('deleted: getResult()', 5, $thrown->getResult());
same('deleted: keys', [], $server->keys());
throws('taken over', 'RedisLockLostException', '~^the lock "mail" was lost~',
    fn () => $lock->once('mail',
        fn () => $server->cmd('SET', 'mail', 'another', 'PX', 60000), for: 60));
same('taken over: the key', 'another', $server->cmd('GET', 'mail'));
$server->cmd('DEL', 'mail');
throws('too long', 'RedisLockLostException', '~^the lock "mail" was lost~',
    fn () => $lock->once('mail', fn () => usleep(300_000), for: 60, ttl: 0.1, renew: false));
same('too long: keys', [], $server->keys());
foreach (['release', 'detach'] as $method) {
    $thrown = throws($method, 'RedisLockException',
        '~^the section of once\(\) has released or detached the lock "mail" itself, so its work '
        . 'is not marked as done$~',
        fn () => $lock->once('mail', fn ($lease) => $lease->$method(), for: 60));
    same("$method: getKey()", 'mail', $thrown->getKey());
    check("$method: no mark", $server->cmd('GET', 'mail') !== 'rl1.done');
    $server->cmd('DEL', 'mail');
}

/* Although the server has not answered the release of another lease a moment ago. */
throws('after a silent server', 'RedisLockLostException', '~^the lock "mail" was lost~',
    fn () => $lock->once('mail', function () use ($server, $lock) {
        $other = $lock->lease('other', renew: false);
        $server->pause();
        unset($other);
        $server->resume();
        $server->cmd('DEL', 'mail');
    }, for: 60));

/* A lease of the section that outlives it: the mark comes with its end. */
$again = new RedisLock($server->dsn(), reentrant: true);
$kept = null;
same('a lease that is kept', true, $again->once('mail', function () use ($again, &$kept) {
    $kept = $again->lease('mail');
}, for: 60));
same('a lease that is kept: the key', $kept->token(), $server->cmd('GET', 'mail'));
same('a lease that is kept: release()', true, $kept->release());
same('a lease that is kept: the mark', 'rl1.done', $server->cmd('GET', 'mail'));

/* No call enters a lock that it holds by another lease. */
$outer = $again->lease('outer');
throws('a lock that is held', 'RedisLockTimeoutException', '~"outer": it is held by~',
    fn () => $again->once('outer', fn () => check('not called', false), for: 60));

done();
?>
--EXPECT--
ok
