--TEST--
A handler may close() the object that waits, change INI, and collect garbage.
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
$server->cmd('SET', 'k', 'somebody');
pcntl_async_signals(true);
$lock = new RedisLock($server->dsn(), retryMaxDelay: 0.05);
$own = new RedisLock($server->dsn(), retryMaxDelay: 0.05, persistent: false);
$handled = 0;
pcntl_signal(SIGUSR1, function () use (&$lock, &$own, &$handled, $server): void {
    $handled++;
    $lock->close();
    $own->close();
    $lock = $own = new RedisLock($server->dsn());
    gc_collect_cycles();
    ini_set('redislock.servers', 'redis://127.0.0.1:1');
    if ($handled === 2) {
        $server->cmd('DEL', 'k');
    }
});
$sender = signal_later(SIGUSR1, 0.2);
same('acquire()', null, $lock->acquire('k', wait: room(0.6)));
$sender->finish();
$own = new RedisLock($server->dsn(), retryMaxDelay: 0.05, persistent: false);
$sender = signal_later(SIGUSR1, 0.2);
$token = $own->acquire('k', 60, 20);
$sender->finish();
matches('acquire()', TOKEN, (string) $token);
same('handlers', 2, $handled);
same('release()', true, $lock->release('k', $token));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
