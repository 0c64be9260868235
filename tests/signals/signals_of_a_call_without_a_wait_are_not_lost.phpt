--TEST--
A signal during a call on a slow server is handled, and its exception goes out, at once or after the call.
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
$fake = fake_server([], $server);
$lock = new RedisLock($fake->dsn(), timeout: 10);
$lock->release('warm', $lock->acquire('warm'));
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn () => throw new DomainException('stop'));
foreach (['SET' => fn () => $lock->acquire('k'), 'EXISTS' => fn () => $lock->isLocked('k')]
        as $command => $call) {
    $fake->rules([rule($command, ['forward', wait_for(room(1.0)), 'reply'])]);
    $sender = signal_later(SIGUSR1, room(0.2));
    throws($command, 'DomainException', '~^stop$~', $call, 5.0);
    $sender->finish();
    $fake->rules([]);
    eventually("$command: no key", fn () => $server->keys() === []);
    same("$command: the object still works", true, $lock->release('k2', $lock->acquire('k2')));
}

done();
?>
--EXPECT--
ok
