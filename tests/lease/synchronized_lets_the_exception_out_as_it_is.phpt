--TEST--
An exception of the section leaves synchronized() as the same object, and the lock is free.
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
final class Mine extends Exception
{
}
foreach ([new Mine('mine', 7), new Error('an error'), new RedisLockTimeoutException('nested'),
        new TypeError('x')] as $exception) {
    try {
        $lock->synchronized('k', fn () => throw $exception);
        check('an exception', false);
    } catch (Throwable $thrown) {
        same('the same object', true, $thrown === $exception);
        same('getPrevious()', null, $thrown->getPrevious());
    }
    same('keys', [], $server->keys());
}
throws('a wrong type', 'TypeError', '~must be of type int~',
    fn () => $lock->synchronized('k', fn (int $x) => 1));
throws('too few arguments', 'ArgumentCountError', '~~',
    fn () => $lock->synchronized('k', fn ($a, $b) => 1));
throws('a warning made an exception', 'ErrorException', '~by reference~', function () use ($lock) {
    set_error_handler(fn ($level, $message) => throw new ErrorException($message));
    try {
        return $lock->synchronized('k', fn (&$lease) => 1);
    } finally {
        restore_error_handler();
    }
});
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
