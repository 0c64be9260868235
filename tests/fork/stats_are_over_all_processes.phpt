--TEST--
After pcntl_fork() stats(all: true) has the numbers of parent and children, and stats() those of one process.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('parent', 60);
$own = RedisLock::stats();
same('the parent', [1, 1, 1], [$own['processes'], $own['held'], $own['acquired']]);
same('all are one', numbers(), numbers(all: true));

/* A child that has not used a lock shares no numbers. */
reap(in_fork(function (): void {
    same('its own', [0, 0], [RedisLock::stats()['held'], RedisLock::stats()['acquired']]);
    same('all', [1, 1], [RedisLock::stats(all: true)['held'],
        RedisLock::stats(all: true)['processes']]);
}));

/* Children that end, that are killed, and that call exec. */
reap(in_fork(function () use ($server): void {
    $lock = new RedisLock($server->dsn());
    $lease = $lock->lease('child', 60);
    same('its own', [1, 1], [RedisLock::stats()['held'], RedisLock::stats()['acquired']]);
    same('all', [2, 2], [RedisLock::stats(all: true)['held'],
        RedisLock::stats(all: true)['processes']]);
    $lease->release();
}));
$all = RedisLock::stats(all: true);
same('one has ended', [1, 1, 2, 1],
    [$all['processes'], $all['held'], $all['acquired'], $all['released']]);

$killed = in_fork(function () use ($server): void {
    $lock = new RedisLock($server->dsn());
    $lease = $lock->lease('killed', 60);
    sleep(60);
});
eventually('it holds', fn () => RedisLock::stats(all: true)['held'] === 2);
send_signal($killed, SIGKILL);
/* The killed child is a zombie until the parent reaps it. */
eventually('one was killed', fn () => RedisLock::stats(all: true)['held'] === 1);
$all = RedisLock::stats(all: true);
same('its counters stay', [1, 3, 1], [$all['processes'], $all['acquired'], $all['released']]);
pcntl_waitpid($killed, $status);
OwnProcesses::remove($killed);

$executes = in_fork(function () use ($server): void {
    $lock = new RedisLock($server->dsn());
    $lock->release('execs', $lock->acquire('execs'));
    pcntl_exec('/bin/sh', ['-c', 'exit 0']);
});
reap($executes);
$all = RedisLock::stats(all: true);
same('after an exec', [1, 1, 4], [$all['processes'], $all['held'], $all['acquired']]);

/* The parent's own numbers are as before. */
same('the parent', [1, 1, 0], [RedisLock::stats()['held'], RedisLock::stats()['acquired'],
    RedisLock::stats()['released']]);
$lease->release();
$all = RedisLock::stats(all: true);
same('nothing is held', [0, 3, 2],
    [$all['held'], $all['released'], $all['hold_time']['count']]);

/* Waits. */
$token = $lock->acquire('busy', 60);
$waiter = in_fork(function () use ($server): void {
    $lock = new RedisLock($server->dsn());
    matches('woken', TOKEN, (string) $lock->acquire('busy', 60, 30));
});
eventually('it waits', fn () => RedisLock::stats(all: true)['waiting'] === 1);
same('the parent does not wait', 0, RedisLock::stats()['waiting']);
$lock->release('busy', $token);
reap($waiter);
$all = RedisLock::stats(all: true);
same('it waits no longer', [0, 1], [$all['waiting'], $all['wait_time']['count']]);

done();
?>
--EXPECT--
ok
