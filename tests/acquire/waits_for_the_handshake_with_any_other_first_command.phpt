--TEST--
Every first command but acquire()'s SET is sent after the handshake has succeeded.
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

$calls = [
    'release' => fn ($lock) => $lock->release('k', 'token'),
    'extend' => fn ($lock) => $lock->extend('k', 'token', 10),
    'isLocked' => fn ($lock) => $lock->isLocked('k'),
    'owner' => fn ($lock) => $lock->owner('k'),
    'remaining' => fn ($lock) => $lock->remaining('k'),
    'forceRelease' => fn ($lock) => $lock->forceRelease('k'),
];
foreach ($calls as $name => $call) {
    $fake = fake_server([rule('SELECT', ['hang'])]);
    $lock = new RedisLock($fake->dsn('/3'), timeout: 0.15, persistent: false);
    throws("$name()", 'RedisLockConnectionException', '~.~', fn () => $call($lock));
    same("$name() sent only the handshake", [],
        array_values(array_diff($fake->lines(), ['SELECT 3'])));
    $fake->stop();
}

done();
?>
--EXPECT--
ok
