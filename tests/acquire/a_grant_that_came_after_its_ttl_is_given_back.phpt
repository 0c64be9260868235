--TEST--
A grant that arrives when the TTL is nearly over does not count: it is undone, and the exception says so.
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
$unit = room(0.1);
foreach ([null, 'mine'] as $own) {
    $fake = fake_server([], $server);
    $lock = new RedisLock($fake->dsn(), timeout: 50 * $unit);
    $lock->isLocked('k');
    $fake->rules([rule('SET', ['forward', wait_for(5 * $unit), 'reply'], times: 1)]);
    $undone = RedisLock::stats()['grants_undone'];
    throws('acquire()', 'RedisLockConnectionException', '~too slow~',
        fn () => $lock->acquire('k', 4 * $unit, token: $own));
    /* Also with a token of the caller: it is not on the server before a drawn one has won. */
    same('undone', 1, RedisLock::stats()['grants_undone'] - $undone);
    eventually('no key is left', fn () => $server->keys() === []);

    $fake->rules([rule('SET', ['forward', wait_for(3 * $unit), 'reply'], times: 1)]);
    $token = $lock->acquire('k', 30, token: $own);
    same('in time', $token, $server->cmd('GET', 'k'));
    same('release()', true, $lock->release('k', (string) $token));
    same('keys', [], $server->keys());
    $fake->stop();
}

done();
?>
--EXPECT--
ok
