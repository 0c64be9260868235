--TEST--
Under FPM a request whose client has disconnected ends at its next output and frees its lease.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/fpm.inc';
skip_without_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fpm.inc';

$server = start_server();
$fpm = start_fpm($server);
$worker = $fpm->normal('first');

/* A script that notices. */
$request = $fpm->start('
    $lock = new RedisLock();
    $lease = $lock->lease("k");
    echo "taken";
    flush();
    for ($i = 0; $i < 1000; $i++) {
        usleep(5000);
        echo str_repeat("a", 10000);
        flush();
    }
    $ignored = $lock->acquire("not here");');
$request->expect('~taken~');
same('held', ['0:k'], $server->keys());
$request->abort();
$start = now();
eventually('the lock is freed', fn () => $server->keys() === [], 4.0);
$fpm->normal('gone', 'k', $worker);

/* A request that ignores the abort keeps its lock until its end. */
$request = $fpm->start('
    ignore_user_abort(true);
    $lock = new RedisLock();
    $lease = $lock->lease("k");
    echo "taken";
    flush();
    for ($i = 0; $i < 10; $i++) {
        usleep(10000);
        echo str_repeat("a", 10000);
        flush();
    }
    $ignored = $lock->acquire("reached", 30, 0, $lease->isHeld() ? "held" : "lost");');
$request->expect('~taken~');
$request->abort();
eventually('it reached its end', fn () => $server->cmd('GET', 'reached') === 'held', 4.0);
$server->cmd('DEL', 'reached');
$fpm->normal('ignored', 'k', $worker);

done();
?>
--EXPECT--
ok
