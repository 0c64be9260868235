--TEST--
synchronized() lets an interrupt out as it is, without a result; the section is left, its lock not touched.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$inside = null;
$thrown = throws('deleted', 'RedisLockLostException', '~^the lock "k" was lost while it was needed$~', function () use ($lock, $server, &$inside): void {
    $lock->synchronized('k', function () use ($server, &$inside): string {
        $server->cmd('SET', 'k', 'somebody', 'PX', 60000);
        try {
            return compute(5.0);
        } catch (RedisLockLostException $inside) {
            throw $inside;
        }
    }, 0.3, interrupt: true);
});
check('it is the one that was thrown inside', $thrown === $inside);
same('getResult()', null, $thrown->getResult());
same('the stranger has the lock', 'somebody', $server->cmd('GET', 'k'));
$server->cmd('DEL', 'k');

/* Caught inside: the section has returned, and the loss is told as ever, with the result. */
$thrown = throws('caught inside', 'RedisLockLostException', '~"k" was lost~', fn () => $lock->synchronized('k', function () use ($server): string {
    $server->cmd('DEL', 'k');
    try {
        return compute(5.0);
    } catch (RedisLockLostException) {
        return 'tidied up';
    }
}, 0.3, interrupt: true));
same('getResult()', 'tidied up', $thrown->getResult());

/* Nested: the inner lock is lost, and the outer one is freed; then the other way round. */
foreach (['inner', 'outer'] as $which) {
    interrupted($which, fn () => $lock->synchronized('outer', function () use ($lock, $server, $which): void {
        $lock->synchronized('inner', function () use ($server, $which): void {
            $server->cmd('DEL', $which);
            compute(5.0);
        }, 0.3, interrupt: true);
    }, 0.3, interrupt: true), 0.1, $which);
    same("$which: keys", [], $server->keys());
}

/* In a Fiber that is suspended in its section. */
$fiber = new Fiber(fn () => $lock->synchronized('k', fn () => compute((float) Fiber::suspend()), 0.3, interrupt: true));
$fiber->start();
$server->cmd('DEL', 'k');
same('the main program', 'it was not stopped', compute(0.2));
throws('in the Fiber', 'RedisLockLostException', '~"k" was lost~', fn () => $fiber->resume(5.0));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
