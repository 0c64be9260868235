--TEST--
While a call waits for a lock, in a Fiber or in {main}, the other Fibers of the process run.
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
require __DIR__ . '/../inc/loop.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$held = $lock->acquire('k', 60);

/* A timer of 10 ms beside a wait of one second. */
function ticks_beside(callable $wait): int
{
    $ticks = 0;
    $isOver = false;
    Loop::spawn(function () use (&$ticks, &$isOver): void {
        while (!$isOver) {
            Loop::sleep(0.01);
            $ticks++;
        }
    });
    $wait($isOver);
    $isOver = true;
    Loop::run();
    return $ticks;
}

RedisLock::waitWith(Loop::wait(...));
$ticks = ticks_beside(function (&$isOver) use ($lock): void {
    Loop::spawn(function () use ($lock, &$isOver): void {
        same('a wait in a Fiber', null, $lock->acquire('k', 60, 1.0));
        $isOver = true;
    });
    Loop::run();
});
between('ticks beside a Fiber', 100 / slack(1.25), 101, $ticks);

RedisLock::waitWith(Loop::waitInMain(...));
$ticks = ticks_beside(function () use ($lock): void {
    same('a wait in {main}', null, $lock->acquire('k', 60, 1.0));
});
between('ticks beside {main}', 100 / slack(1.25), 101, $ticks);

/* Without a waiter all stand still. */
RedisLock::waitWith(null);
$ticks = ticks_beside(function () use ($lock): void {
    same('a wait that blocks', null, $lock->acquire('k', 60, 0.3));
});
between('ticks beside a wait that blocks', 0, 2, $ticks);
$lock->release('k', $held);
no_key_is_left($server);

function no_key_is_left(TestServer $server): void
{
    eventually('no key is left', fn () => $server->keys() === []);
}

done();
?>
--EXPECT--
ok
