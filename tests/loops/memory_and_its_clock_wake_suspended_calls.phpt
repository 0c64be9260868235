--TEST--
Calls to memory:// yield, and RedisLock::advance() makes all suspended calls look again.
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

RedisLock::waitWith(Loop::wait(...));
$lock = new RedisLock('memory://loops');
$held = $lock->acquire('k', 3600);
$ends = [];
for ($i = 0; $i < 3; $i++) {
    Loop::spawn(function () use ($lock, $i, &$ends): void {
        $ends[$i] = $lock->acquire('k', 60, 600 * ($i + 1));
    });
}
between('suspended at once', 3, 3, Loop::count());
/* The loop must see what has become due, and then wait again. */
$turn = function (): void {
    $until = now() + slack(0.2);
    Loop::run(fn () => now() > $until);
};
Loop::spawn(fn () => Loop::sleep(30)); // the loop never runs out of work
$turn();
same('none has ended', [], $ends);
between('advance(): seconds', 0, slack(2), elapsed(function () use ($turn): void {
    RedisLock::advance(700);
    $turn();
}));
same('the first has ended by its time', [0 => null], $ends);
RedisLock::advance(600);
$turn();
same('then the second', [0 => null, 1 => null], $ends);
Loop::spawn(fn () => $lock->release('k', $held));
$turn();
matches('and the third has the lock', TOKEN, (string) $ends[2]);
$lock->release('k', $ends[2]);
same('the lock is free', false, $lock->isLocked('k'));

done();
?>
--EXPECT--
ok
