--TEST--
If the reply to a SET does not arrive in time, an undo follows it, and no key stays.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
foreach ([true, false] as $warm) {
    $fake = fake_server([], $server);
    $timeout = room(0.3);
    $lock = new RedisLock($fake->dsn(), timeout: $timeout, connectTimeout: $timeout);
    if ($warm) {
        $lock->isLocked('k');
    }
    $fake->rules([rule('SET', ['forward', wait_for(8 / 3 * $timeout), 'reply'], times: 1)]);
    $thrown = throws('acquire()', 'RedisLockConnectionException', '~redis://127\.0\.0\.1:\d+~',
        fn () => $lock->acquire('k'), 3.0);
    same('the SET was run', ['0:k'], $server->keys());
    eventually('it is undone', fn () => $server->keys() === []);
    same('the next one is taken', true, $lock->release('k', $lock->acquire('k')));
    same('keys', [], $server->keys());
    $fake->stop();
}

done();
?>
--EXPECT--
ok
