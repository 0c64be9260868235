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
foreach ([null, 'mine'] as $own) {
    $fake = fake_server([], $server);
    $lock = new RedisLock($fake->dsn(), timeout: 5);
    $lock->isLocked('k');
    $fake->rules([rule('SET', ['forward', wait_for(0.5), 'reply'], times: 1)]);
    $undone = RedisLock::stats()['grants_undone'];
    throws('acquire()', 'RedisLockConnectionException', '~too slow~',
        fn () => $lock->acquire('k', 0.4, token: $own));
    /* A token that others may have, too, is not undone when its key may have ended: theirs could be
     * met. */
    same('undone', $own === null ? 1 : 0, RedisLock::stats()['grants_undone'] - $undone);
    eventually('no key is left', fn () => $server->keys() === []);

    $fake->rules([rule('SET', ['forward', wait_for(0.3), 'reply'], times: 1)]);
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
