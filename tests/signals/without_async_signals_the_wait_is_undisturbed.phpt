--TEST--
Without pcntl_async_signals() a signal does not end a wait; its handler runs when the script dispatches it.
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
$count = 0;
pcntl_signal(SIGUSR1, function () use (&$count): void {
    $count++;
});
$wait = room(0.7);
$sender = signal_later(SIGUSR1, 0.1, times: 5);
$took = elapsed(fn () => (new RedisLock($server->dsn()))->acquire('k', wait: $wait), $result);
$sender->finish();
same('acquire()', null, $result);
between('seconds', $wait, slack(2.7), $took);
same('not yet', 0, $count);
pcntl_signal_dispatch();
check('dispatched', $count > 0);

done();
?>
--EXPECT--
ok
