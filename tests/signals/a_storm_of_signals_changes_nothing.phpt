--TEST--
A storm of signals neither ends nor extends a wait.
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
pcntl_async_signals(true);
$count = 0;
foreach ([true, false] as $restart) {
    pcntl_signal(SIGUSR1, function () use (&$count): void {
        $count++;
    }, $restart);
    $lock = new RedisLock($server->dsn(), timeout: 5);
    $sender = signal_later(SIGUSR1, 0.01, times: 100, every: room(0.005));
    $until = now() + room(0.5);
    for ($i = 0; now() < $until; $i++) {
        $token = $lock->acquire('k');
        if (!check('a warm cycle', $lock->release('k', (string) $token), $token)) {
            break;
        }
        if ($i % 10 === 0) {
            $lock->close();
        }
    }
    $server->cmd('SET', 'k', 'somebody');
    $took = elapsed(fn () => $lock->acquire('k', wait: 0.5), $result);
    same('a wait', null, $result);
    between('seconds', 0.5, slack(2.5), $took);
    $server->pause();
    $hurried = new RedisLock($server->dsn(), timeout: 0.3, connectTimeout: 0.3);
    $took =
        elapsed(fn () => throws('a server that hangs', 'RedisLockConnectionException', '~.~',
            fn () => $hurried->isLocked('k')));
    between('seconds', 0.29, slack(2.5), $took);
    $server->resume();
    $sender->finish();
    $server->cmd('DEL', 'k');
}
check('there was a storm', $count > 20, $count);
eventually('no lock is left', fn () => $server->locks() === [], 2.0);

done();
?>
--EXPECT--
ok
