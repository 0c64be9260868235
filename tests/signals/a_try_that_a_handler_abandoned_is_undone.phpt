--TEST--
A try that was on its way when a handler threw is undone.
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
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () use ($server): void {
    same('the try has taken the lock', 1, $server->cmd('EXISTS', 'k'));
    throw new DomainException('stop');
});
$fake = fake_server([], $server);
$lock = new RedisLock($fake->dsn(), timeout: 10);
$server->cmd('SET', 'warm', 'x');
learn_scripts($lock, 'warm');
$server->cmd('DEL', 'warm');

/* After an error that may pass, the wait goes on with a try. */
$fake->rules([rule('SET', [send("-LOADING Redis is loading the dataset in memory\r\n")]),
    rule('EVALSHA', ['forward', wait_for(room(1.5)), 'reply'])]);
$sender = signal_later(SIGUSR1, room(0.4));
throws('acquire()', 'DomainException', '~^stop$~', fn () => $lock->acquire('k', 60, 60), 1.2);
$sender->finish();
$fake->commands();
eventually('undone', fn () => $server->keys() === []);
usleep(300000);
same('nothing comes later', [], $server->keys());

done();
?>
--EXPECT--
ok
