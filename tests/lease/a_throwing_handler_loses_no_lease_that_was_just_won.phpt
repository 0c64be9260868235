--TEST--
An exception of a handler at the moment of the grant leaves neither a lease nor a key behind.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$fake = fake_server([], $server, true);
$lock = new RedisLock($fake->dsn(), timeout: 2 * slack(5.0));
$lock->isLocked('k');
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn () => throw new LogicException('of the handler'));
foreach (['lease()' => fn () => $lock->lease('k', 60),
        'synchronized()' => fn () => $lock->synchronized('k', fn () => check('not called', false),
                60)] as $what => $call) {
    $fake->rules([rule('SET', ['forward', wait_for(slack(0.8)), 'reply'], times: 1)]);
    $sender = signal_later(SIGUSR1, 0.1);
    throws($what, 'LogicException', '~^of the handler$~', $call);
    $sender->finish();
    eventually("$what: keys", fn () => $server->keys() === [], 5.0);
}
$token = $lock->acquire('k', 60);
$fake->rules([rule('EVALSHA', ['forward', wait_for(slack(0.8)), 'reply'])]);
$sender = signal_later(SIGUSR1, 0.1);
throws('resume()', 'LogicException', '~^of the handler$~', fn () => $lock->resume('k', $token, 60));
$sender->finish();
$fake->rules([]);
same('a token that was not resumed is as it was', $token, $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
