--TEST--
A re-entrant lock refuses another Fiber and another object, and tokens are never entered again.
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
$lock = new RedisLock($server->dsn(), reentrant: true);
$lease = $lock->lease('k');
$fiber = new Fiber(function () use ($lock): array {
    $refused = $lock->lease('k');
    $own = $lock->lease('own');
    Fiber::suspend([$refused, $own !== null]);
    return [$lock->lease('own')?->token() === $own->token()];
});
same('in a Fiber', [null, true], $fiber->start());
same("a Fiber's lock is not the main program's", null, $lock->lease('own'));
$fiber->resume();
same('in the same Fiber again', [true], $fiber->getReturn());
same('another object', null, (new RedisLock($server->dsn(), reentrant: true))->lease('k'));
same('acquire()', null, $lock->acquire('k'));

throws('detach() of one of two', 'RedisLockException', '~more than once~',
        function () use ($lock): void {
    $second = $lock->lease('k');
    $second->detach();
});
same('detach() of the only one', $lease->token(), $lease->detach());
same('it is a stranger now', null, $lock->lease('k'));
same('keys', ['0:k'], $server->keys());

$token = $lock->acquire('t');
same('a token is not entered', null, $lock->lease('t'));
same('release()', true, $lock->release('t', $token));

done();
?>
--EXPECT--
ok
