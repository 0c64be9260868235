--TEST--
Three seconds after the last waiter, however it ended, all helper keys are gone.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$holders = [];
foreach (['gave up', 'was killed', 'threw', 'won', 'won and was killed'] as $key) {
    $holders[$key] = hold($server, $key);
}
$killed = waiter($server->dsn(), 'was killed');
$threw = in_fork(function () use ($server): void {
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, fn () => throw new DomainException('stop'));
    throws('a wait that a handler ends', 'DomainException', '~stop~',
        fn () => (new RedisLock($server->dsn()))->acquire('threw', wait: INF), 20.0);
});
$won = waiter($server->dsn(), 'won', then: fn ($lock, $token) => $lock->release('won', $token));
$both = waiter($server->dsn(), 'won and was killed', ['ttl' => room(0.5)],
    then: fn () => sleep(60));
queued($server, 4);
$gave_up = waiter($server->dsn(), 'gave up', ['wait' => room(0.3)]);
eventually('all of them wait',
    fn () => count(array_filter($server->keys(),
        fn ($key) => str_ends_with($key, '::rl-wait'))) === 5);
queued($server, 5);
$killed->kill();
send_signal($threw, SIGUSR1);
$lock = new RedisLock($server->dsn());
foreach (['won', 'won and was killed'] as $key) {
    same('release()', true, $lock->release($key, $holders[$key]));
}
eventually('the lock is handed over', fn () => !in_array($server->cmd('GET', 'won and was killed'),
    ['', $holders['won and was killed']], true));
$both->kill();
$gave_up->result();
$won->result();
reap($threw);
$end = now();
$server->cmd('DEL', 'gave up', 'was killed', 'threw');
usleep(10000);
same('no lock is left', ['0:won and was killed'], $server->locks());
eventually('no key is left', fn () => $server->keys() === [], 3.0);
check('within 3 s', now() - $end < slack(3.0), now() - $end);

done();
?>
--EXPECT--
ok
