--TEST--
On memory:// the end of once() ends the waits of many Fibers with small stacks, one after another.
--EXTENSIONS--
redislock
--INI--
fiber.stack_size=262144
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';
require __DIR__ . '/../inc/loop.inc';

RedisLock::waitWith(Loop::wait(...));
$lock = new RedisLock('memory://', persistent: false);
$ran = 0;
$ended = 0;
$is_over = false;
for ($i = 0; $i < 200; $i++) {
    Loop::spawn(function () use ($lock, &$ran, &$ended, &$is_over): void {
        $lock->once('k', function () use (&$ran, &$is_over): int {
            $ran++;
            while (!$is_over) {
                Loop::sleep(0.01);
            }
            return 1;
        }, for: 60, wait: 60);
        $ended++;
    });
}
$until = now() + 0.2;
Loop::run(fn () => now() > $until);
same('they wait', 200, Loop::count());
$is_over = true;
Loop::run();
same('runs', 1, $ran);
same('ends', 200, $ended);

done();
?>
--EXPECT--
ok
