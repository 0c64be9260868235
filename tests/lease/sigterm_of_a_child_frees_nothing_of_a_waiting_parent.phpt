--TEST--
SIGTERM that ends a forked child with a lease neither frees the lock for which a Fiber of its parent waits, nor ends a connection of the parent.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind(); /* a process that is killed frees nothing */
skip_without_sigterm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';
require __DIR__ . '/../inc/loop.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$apart = new RedisLock($server->dsn(), persistent: false);
RedisLock::waitWith(Loop::wait(...));
foreach (['acquire()' => fn () => $lock->acquire('k', 60, 60),
        'lease()' => fn () => $lock->lease('k', 60, 60)] as $what => $take) {
    same("$what: a connection of another object", true,
        $apart->release('a', $apart->acquire('a', 60)));
    $held = hold($server, 'k');
    $taken = null;
    Loop::spawn(function () use ($take, &$taken): void {
        $taken = $take();
    });
    Loop::run(fn () => count(marked($server, 'k')) === 1);
    $pid = in_fork(function () use ($lock): void {
        $lease = $lock->lease('of the child', 60);
        sleep(60);
    });
    eventually("$what: the child has its lease", fn () => $apart->isLocked('of the child'));

    /* The parent wins with the token that the child knows from the wait. */
    Loop::spawn(fn () => $lock->release('k', $held));
    Loop::run();
    $token = $lock->owner('k');
    matches("$what: the parent has it", TOKEN, (string) $token);
    $connects = RedisLock::stats()['connects'];
    send_signal($pid, SIGTERM);
    pcntl_waitpid($pid, $status);
    OwnProcesses::remove($pid);
    same("$what: the child has freed its own", false, $lock->isLocked('of the child'));
    same("$what: the parent still has it", $token, $lock->owner('k'));
    same("$what: the other object", true, $apart->release('a', $apart->acquire('a', 60)));
    same("$what: no new connection", 0, RedisLock::stats()['connects'] - $connects);
    same("$what: release()", true,
        is_string($taken) ? $lock->release('k', $taken) : $taken?->release());
}

done();
?>
--EXPECT--
ok
