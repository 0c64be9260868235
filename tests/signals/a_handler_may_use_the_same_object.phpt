--TEST--
A handler may use the object that waits: it gets another connection.
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
$lock = new RedisLock($server->dsn(), retryMaxDelay: 0.05);
$held = $lock->acquire('k', 60);
pcntl_async_signals(true);
$handled = 0;
pcntl_signal(SIGUSR1, function () use ($lock, $held, &$handled): void {
    $token = $lock->acquire('other', 60);
    matches('acquire()', TOKEN, (string) $token);
    same('owner()', $held, $lock->owner('k'));
    same('a wait in a wait', null, $lock->acquire('other', wait: 0.05));
    same('release()', true, $lock->release('other', $token));
    if (++$handled === 3) {
        same('the lock that is waited for', true, $lock->release('k', $held));
    }
});
$sender = signal_later(SIGUSR1, room(0.1), times: 3, every: room(0.15));
$token = $lock->acquire('k', 60, 20);
$sender->finish();
matches('acquire()', TOKEN, (string) $token);
same('handlers', 3, $handled);
same('keys', ['0:k'], $server->keys());
same('release()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
