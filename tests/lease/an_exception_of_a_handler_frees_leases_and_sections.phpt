--TEST--
A handler that throws in a section, or in a wait inside it, ends the section, and its lock is free.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$server->cmd('SET', 'taken', 'somebody');
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn () => throw new LogicException('of the handler'));
foreach (['busy' => function (): void {
    $until = now() + 20;
    while (now() < $until) {
    }
}, 'asleep' => function (): void {
    sleep(20);
    check('not here', false);
}, 'in a wait' => fn () => $lock->lease('taken', 60, 20),
        'in a section in a section' => fn () => $lock->synchronized('inner', fn () => sleep(20),
                60)] as $what => $section) {
    $sender = signal_later(SIGUSR1, 0.1);
    throws($what, 'LogicException', '~^of the handler$~',
        fn () => $lock->synchronized('k', $section, 60));
    $sender->finish();
    same("$what: keys", ['0:taken'], $server->locks());
}
$sender = signal_later(SIGUSR1, 0.1);
throws('a wait of synchronized()', 'LogicException', '~^of the handler$~',
    fn () => $lock->synchronized('taken', fn () => check('not called', false), 60, 20));
$sender->finish();
same('keys', ['0:taken'], $server->locks());

done();
?>
--EXPECT--
ok
