--TEST--
An exception of a handler ends the wait at once and leaves no key.
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
pcntl_signal(SIGUSR1, fn () => throw new DomainException('stop'));
$lock = new RedisLock($server->dsn());
foreach ([INF, 60] as $wait) {
    foreach ([null, 'mine'] as $own) {
        $sender = signal_later(SIGUSR1, room(0.2));
        throws('acquire()', 'DomainException', '~^stop$~',
            fn () => $lock->acquire('k', wait: $wait, token: $own), 5.0);
        $sender->finish();
    }
}
$server->cmd('DEL', 'k');
usleep(300000);
same('keys', [], $server->locks());
same('the object still works', true, $lock->release('k', $lock->acquire('k', wait: 1)));
usleep(30000); // a lock that was waited for is reserved for 10 ms
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
